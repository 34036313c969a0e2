/* best[k] = largest value seen in group k; the caller has filled in the starting values. */
void group_max(int n, int g, const int group[n], const int value[n], int best[g])
{
    for (int i = 0; i < n; i++)
        if (value[i] > best[group[i]])
            best[group[i]] = value[i];
}
