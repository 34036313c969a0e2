/* 0 1 2 3 4  ->  1 0 3 2 4 */
void swap_pairs(int n, int v[n])
{
    for (int i = 0; i + 1 < n; i += 2) {
        int t = v[i];
        v[i] = v[i + 1];
        v[i + 1] = t;
    }
}
