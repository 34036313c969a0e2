typedef struct { int row; int col; double v; } entry;

void coo_spmv(int nnz, int rows, int cols, const entry e[nnz], const double x[cols], double y[rows])
{
    for (int k = 0; k < nnz; k++)
        y[e[k].row] += e[k].v * x[e[k].col];
}
