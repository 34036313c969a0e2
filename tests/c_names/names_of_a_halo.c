void stencil(int n, int i_before, const float x_tile[n][n], float x_before[n][n], float first_i, float diagonal) {
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) x_before[i][j] = first_i * (x_tile[i-1][j] + x_tile[i+1][j] + x_tile[i][j-1] + x_tile[i][j+1]) + diagonal * i_before;
}
