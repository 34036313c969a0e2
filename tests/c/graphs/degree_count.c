void degree_count(int n, const unsigned char adj[n][n], int outdeg[n], int indeg[n])
{
    for (int i = 0; i < n; i++) {
        outdeg[i] = 0;
        indeg[i] = 0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (adj[i][j]) {
                outdeg[i]++;
                indeg[j]++;
            }
}
