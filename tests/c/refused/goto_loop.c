void goto_loop(int n, float x[n])
{
    int i = 0;
again:
    if (i < n) {
        x[i] *= 2.0f;
        i++;
        goto again;
    }
}
