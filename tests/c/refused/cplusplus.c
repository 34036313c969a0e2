template <typename T>
void cplusplus(int n, const T *x, T *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + x[i];
}
