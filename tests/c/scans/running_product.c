void running_product(int n, const unsigned x[n], unsigned p[n])
{
    unsigned acc = 1;
    for (int i = 0; i < n; i++)
        p[i] = acc *= x[i] | 1u;
}
