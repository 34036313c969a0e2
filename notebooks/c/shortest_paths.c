/* Shortest ways between all pairs of towns, after Floyd and Warshall.
   The outer loop has to stay: town k becomes a stop on the way only after towns 0 to k-1 have.
   Within it all pairs are independent: distances are never negative, so a way to k through k
   is never shorter, and row k and column k do not change in step k. */
#include <stdint.h>

void shortest_paths(int n, uint16_t dist[n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int detour = dist[i][k] + dist[k][j];
                if (detour < dist[i][j])
                    dist[i][j] = (uint16_t)detour;
            }
}
