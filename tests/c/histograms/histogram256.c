void histogram256(int n, const unsigned char *data, unsigned int hist[256])
{
    for (int b = 0; b < 256; b++)
        hist[b] = 0;
    for (int i = 0; i < n; i++)
        hist[data[i]]++;
}
