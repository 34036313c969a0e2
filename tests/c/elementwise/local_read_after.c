/* last[0]: the last difference computed, last[1]: where the loop stopped. */
void local_read_after(int n, const float x[n], float d[n], float last[2])
{
    float diff = 0.0f;
    int i;
    for (i = 0; i < n; i++) {
        diff = x[i] * x[i] - 1.0f;
        d[i] = diff;
    }
    last[0] = diff;
    last[1] = (float)i;
}
