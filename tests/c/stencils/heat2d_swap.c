/* After an even number of steps the result is in a, after an odd number in b. */
void heat2d_swap(int nx, int ny, int steps, double *a, double *b)
{
    double *now = a, *next = b;
    for (int s = 0; s < steps; s++) {
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++)
                next[y * nx + x] = 0.25 * (now[y * nx + x - 1] + now[y * nx + x + 1]
                                         + now[(y - 1) * nx + x] + now[(y + 1) * nx + x]);
        double *t = now;
        now = next;
        next = t;
    }
}
