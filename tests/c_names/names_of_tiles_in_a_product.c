void matmul(int tile, int t, int row, const float i0[tile][row], const float i1[row][t], float k0[tile][t]) {
    for (int i = 0; i < tile; i++) for (int j = 0; j < t; j++) { float acc = 0; for (int k = 0; k < row; k++) acc += i0[i][k] * i1[k][j]; k0[i][j] = acc; }
}
