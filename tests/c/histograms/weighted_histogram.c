/* Values are expected in [-1, 1]; what lies outside is counted in the end bins. */
void weighted_histogram(int n, const float *x, const float *w, int nb, float *h)
{
    for (int i = 0; i < n; i++) {
        int b = (int)((x[i] + 1.0f) * 0.5f * (float)nb);
        if (b < 0) b = 0;
        if (b >= nb) b = nb - 1;
        h[b] += w[i];
    }
}
