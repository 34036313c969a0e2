void minimum_path(int h, int w, const int cost[h][w], int acc[h][w])
{
    for (int x = 0; x < w; x++)
        acc[0][x] = cost[0][x];
    for (int y = 1; y < h; y++)
        for (int x = 0; x < w; x++) {
            int m = acc[y - 1][x];
            if (x > 0 && acc[y - 1][x - 1] < m)
                m = acc[y - 1][x - 1];
            if (x + 1 < w && acc[y - 1][x + 1] < m)
                m = acc[y - 1][x + 1];
            acc[y][x] = cost[y][x] + m;
        }
}
