void sum_of_squares_3d(int a, int b, int c, const float v[a][b][c], float *out)
{
    out[0] = 0.0f;
    for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++)
            for (int k = 0; k < c; k++)
                out[0] += v[i][j][k] * v[i][j][k];
}
