void pointer_chase(int n, int steps, const int next[n], int path[steps])
{
    int at = 0;
    for (int k = 0; k < steps; k++) {
        at = next[at];
        path[k] = at;
    }
}
