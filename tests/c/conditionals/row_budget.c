/* How many items can each buyer afford, in order? */
void row_budget(int n, int m, const int price[n][m], const int budget[n], int bought[n])
{
    for (int i = 0; i < n; i++) {
        int left = budget[i];
        int k = 0;
        while (k < m && left >= price[i][k]) {
            left -= price[i][k];
            k++;
        }
        bought[i] = k;
    }
}
