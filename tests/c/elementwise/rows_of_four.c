/* homogeneous coordinates: divide by w unless it is tiny */
void rows_of_four(int n, float p[][4])
{
    for (int i = 0; i < n; i++) {
        float w = p[i][3];
        if (w > -1e-3f && w < 1e-3f)
            continue;
        for (int k = 0; k < 4; k++)
            p[i][k] /= w;
    }
}
