void sieve(int n, unsigned char composite[n])
{
    for (int i = 0; i < n; i++)
        composite[i] = i < 2;
    for (int p = 2; p * p < n; p++) {
        if (composite[p])
            continue;
        for (int m = p * p; m < n; m += p)
            composite[m] = 1;
    }
}
