void unknown_type(int n, pixel_t x[n])
{
    for (int i = 0; i < n; i++)
        x[i] = 255 - x[i];
}
