void mandelbrot(int w, int h, int limit, int iters[h][w])
{
    for (int py = 0; py < h; py++)
        for (int px = 0; px < w; px++) {
            double cx = -2.0 + 3.0 * px / w;
            double cy = -1.5 + 3.0 * py / h;
            double x = 0.0, y = 0.0;
            int k = 0;
            while (k < limit && x * x + y * y <= 4.0) {
                double t = x * x - y * y + cx;
                y = 2.0 * x * y + cy;
                x = t;
                k++;
            }
            iters[py][px] = k;
        }
}
