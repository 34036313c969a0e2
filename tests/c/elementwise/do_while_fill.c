void do_while_fill(int n, int first, int step, int v[n])
{
    if (n > 0) {
        int i = 0;
        do {
            v[i] = (int)((unsigned)first + (unsigned)step * (unsigned)i);
            i++;
        } while (i < n);
    }
}
