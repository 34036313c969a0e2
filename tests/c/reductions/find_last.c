/* Where the last sample above the limit stands and what it is; -1 and 0 when there is none. */
void find_last(int n, const float x[n], float limit, int *at, float *value)
{
    int last = -1;
    float v = 0.0f;
    for (int i = 0; i < n; i++)
        if (x[i] > limit) {
            last = i;
            v = x[i];
        }
    *at = last;
    *value = v;
}
