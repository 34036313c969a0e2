void f(int n, int m, const float A_tile[n][m], const float t[n], float t0[n], float s_part[n], int i0, int k0, float i1[n][m]) {
    for (int block_first = 0; block_first < n; block_first++) {
        float per_block = 0;
        for (int element = 0; element < m; element++) per_block += A_tile[block_first][element] * t[block_first];
        t0[block_first] = per_block + i0;
        s_part[block_first] = per_block * k0;
        for (int j0 = 0; j0 < m; j0++) i1[block_first][j0] = A_tile[block_first][j0] + 1;
    }
}
