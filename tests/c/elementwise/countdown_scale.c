void countdown_scale(long n, double s, double a[n])
{
    long i = n - 1;
    while (i >= 0) {
        a[i] *= s;
        i--;
    }
}
