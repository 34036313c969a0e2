void ring_mask(int bits, const float *a, float *b)
{
    const unsigned n = 1u << bits, mask = n - 1u;
    for (unsigned i = 0; i < n; i++)
        b[i] = 0.5f * a[i] + 0.25f * (a[(i - 1u) & mask] + a[(i + 1u) & mask]);
}
