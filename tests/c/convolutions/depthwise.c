void depthwise(int h, int w, int c, const float x[h][w][c], const float f[3][3][c], float y[h - 2][w - 2][c])
{
    for (int i = 0; i < h - 2; i++)
        for (int j = 0; j < w - 2; j++)
            for (int k = 0; k < c; k++) {
                y[i][j][k] = 0.0f;
                for (int u = 0; u < 3; u++)
                    for (int v = 0; v < 3; v++)
                        y[i][j][k] += x[i + u][j + v][k] * f[u][v][k];
            }
}
