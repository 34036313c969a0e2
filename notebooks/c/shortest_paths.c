/* Shortest ways between all pairs of towns, after Floyd and Warshall.
   The outer loop has to stay: town k becomes a stop on the way only after towns 0 to k-1 have.
   Within it all pairs are independent, since row k and column k do not change in step k. */
void shortest_paths(int n, float dist[n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float detour = dist[i][k] + dist[k][j];
                if (detour < dist[i][j])
                    dist[i][j] = detour;
            }
}
