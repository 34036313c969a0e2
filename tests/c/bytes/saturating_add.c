void saturating_add(int n, const signed char a[n], const signed char b[n], signed char c[n])
{
    for (int i = 0; i < n; i++) {
        int s = a[i] + b[i];
        c[i] = (signed char)(s > 127 ? 127 : s < -128 ? -128 : s);
    }
}
