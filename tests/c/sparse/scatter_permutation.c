void scatter_permutation(int n, const int perm[n], const float x[n], float y[n])
{
    for (int i = 0; i < n; i++)
        y[perm[i]] = x[i];
}
