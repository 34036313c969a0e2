void least_divisor(int n, int least[n])
{
    for (int i = 0; i < n; i++) {
        int v = i + 2;
        least[i] = v;
        for (int d = 2; d * d <= v; d++) {
            if (v % d != 0)
                continue;
            least[i] = d;
            break;
        }
    }
}
