static void sort_window(float v[9])
{
    for (int i = 1; i < 9; i++) {
        float key = v[i];
        int j = i - 1;
        while (j >= 0 && v[j] > key) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = key;
    }
}

void median_of_nine(int h, int w, const float src[h][w], float dst[h][w])
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            float win[9];
            for (int k = 0; k < 9; k++)
                win[k] = src[y + k / 3 - 1][x + k % 3 - 1];
            sort_window(win);
            dst[y][x] = win[4];
        }
}
