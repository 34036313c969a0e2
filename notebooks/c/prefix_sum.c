/* Running totals: each needs the one before, so this looks hopeless.
   But a block can add up its own part, and then only the parts have to be put in order. */
void prefix_sum(int n, const int x[n], int total[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        total[i] = sum;
    }
}
