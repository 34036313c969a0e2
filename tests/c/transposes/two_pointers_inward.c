void two_pointers_inward(int n, double *v)
{
    int i, j;
    for (i = 0, j = n - 1; i < j; i++, j--) {
        double t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}
