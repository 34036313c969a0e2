void for_ever_with_break(int n, const int a[n], unsigned b[n])
{
    int i = 0;
    for (;;) {
        if (i >= n)
            break;
        b[i] = (unsigned)a[i] << 1 ^ (unsigned)i;
        ++i;
    }
}
