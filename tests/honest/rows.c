// sizes: height=60, cols=40, nnz=400
void rows(int height, int cols, int nnz, const int ptr[height + 1], const int col[nnz], const float val[nnz],
          const float x[cols], float y[height]) {
    for (int r = 0; r < height; r++) {
        float s = 0;
        for (int k = ptr[r]; k < ptr[r + 1]; k++) s += val[k] * x[col[k]];
        y[r] = s;
    }
}
