void ell_spmv(int n, int width, int m, const int col[width][n], const float val[width][n],
              const float x[m], float y[n])
{
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < width; k++) {
            int c = col[k][i];
            if (c < 0)
                break;
            s += val[k][i] * x[c];
        }
        y[i] = s;
    }
}
