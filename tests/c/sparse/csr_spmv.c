void csr_spmv(int rows, int cols, int nnz, const int ptr[rows + 1], const int col[nnz],
              const float val[nnz], const float x[cols], float y[rows])
{
    for (int r = 0; r < rows; r++) {
        float s = 0.0f;
        for (int k = ptr[r]; k < ptr[r + 1]; k++)
            s += val[k] * x[col[k]];
        y[r] = s;
    }
}
