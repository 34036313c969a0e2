/* The mean of each element and its two neighbours; the ends stay as they are. */
void smooth(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++)
        y[i] = i > 0 && i < n - 1 ? (x[i - 1] + x[i] + x[i + 1]) / 3.0f : x[i];
}
