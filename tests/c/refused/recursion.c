static int fib(int k)
{
    return k < 2 ? k : fib(k - 1) + fib(k - 2);
}

void recursion(int n, int out[n])
{
    for (int i = 0; i < n; i++)
        out[i] = fib(i % 10);
}
