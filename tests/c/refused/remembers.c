void remembers(int n, int x[n])
{
    static int calls = 0;
    calls++;
    for (int i = 0; i < n; i++)
        x[i] = calls;
}
