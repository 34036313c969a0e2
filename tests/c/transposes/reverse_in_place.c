void reverse_in_place(int n, short *v)
{
    for (int i = 0; i < n / 2; i++) {
        short t = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = t;
    }
}
