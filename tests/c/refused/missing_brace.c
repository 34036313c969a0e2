void missing_brace(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
} /* closed here, but only the loop */
