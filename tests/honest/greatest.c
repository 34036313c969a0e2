// sizes: n=2000
void greatest(int n, const float x[n], int at[1]) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    at[0] = best;
}
