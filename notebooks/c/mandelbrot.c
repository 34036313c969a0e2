/* How many steps until z*z + c runs away? Pixels are independent,
   but some take two steps and their neighbours two hundred: divergence in its purest form. */
void mandelbrot(int width, int height, int limit, int steps[height][width])
{
    for (int py = 0; py < height; py++)
        for (int px = 0; px < width; px++) {
            float cx = -2.25f + 3.0f * (float)px / (float)width;
            float cy = -1.5f + 3.0f * (float)py / (float)height;
            float x = 0.0f, y = 0.0f;
            int k = 0;
            while (k < limit && x * x + y * y < 4.0f) {
                float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                k++;
            }
            steps[py][px] = k;
        }
}
