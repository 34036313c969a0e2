void floor_mod(int n, int d, const int a[n], int q[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        q[i] = a[i] / d;
        r[i] = a[i] % d;
        if (r[i] < 0) {
            r[i] += d;
            q[i] -= 1;
        }
    }
}
