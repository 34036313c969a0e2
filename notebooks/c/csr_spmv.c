/* A sparse matrix times a vector. Row r owns val[ptr[r]] up to val[ptr[r+1]];
   rows differ in length, so threads of a warp may wait for their longest. */
void csr_spmv(int rows, int cols, int nnz, const int ptr[rows + 1], const int col[nnz],
              const float val[nnz], const float x[cols], float y[rows])
{
    for (int r = 0; r < rows; r++) {
        float sum = 0.0f;
        for (int k = ptr[r]; k < ptr[r + 1]; k++)
            sum += val[k] * x[col[k]];
        y[r] = sum;
    }
}
