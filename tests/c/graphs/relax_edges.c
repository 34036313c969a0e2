void relax_edges(int nodes, int edges, const int from[edges], const int to[edges],
                 const int weight[edges], const int dist[nodes], int next[nodes])
{
    for (int v = 0; v < nodes; v++)
        next[v] = dist[v];
    for (int e = 0; e < edges; e++) {
        int via = dist[from[e]] + weight[e];
        if (via < next[to[e]])
            next[to[e]] = via;
    }
}
