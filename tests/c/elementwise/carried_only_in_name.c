/* t and k live outside the loop, as in old C; neither carries anything that matters. */
void carried_only_in_name(int n, const float *a, const float *b, float *c)
{
    float t;
    int i, k;

    k = 0;
    for (i = 0; i < n; i++) {
        t = a[i] - b[i];
        c[k] = t * t + (float)k;
        k++;
    }
}
