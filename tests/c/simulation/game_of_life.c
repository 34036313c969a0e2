void game_of_life(int h, int w, const unsigned char cell[h][w], unsigned char next[h][w])
{
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            int alive = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    if (dx == 0 && dy == 0)
                        continue;
                    alive += cell[(y + dy + h) % h][(x + dx + w) % w];
                }
            next[y][x] = alive == 3 || (alive == 2 && cell[y][x]);
        }
    }
}
