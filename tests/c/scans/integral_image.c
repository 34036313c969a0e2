void integral_image(int h, int w, const unsigned char img[h][w], unsigned int sat[h][w])
{
    for (int y = 0; y < h; y++) {
        unsigned int row = 0;
        for (int x = 0; x < w; x++) {
            row += img[y][x];
            sat[y][x] = row + (y > 0 ? sat[y - 1][x] : 0u);
        }
    }
}
