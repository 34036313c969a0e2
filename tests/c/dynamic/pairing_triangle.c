static int larger(int a, int b) { return a >= b ? a : b; }
static int pairs(int a, int b) { return a + b == 3 ? 1 : 0; }

/* Most pairs that fit within base[i..j], for every i < j. */
void pairing_triangle(int n, const signed char base[n], int table[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            table[i][j] = 0;

    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            table[i][j] = larger(table[i][j], table[i][j - 1]);
            table[i][j] = larger(table[i][j], table[i + 1][j]);
            if (i < j - 1)
                table[i][j] = larger(table[i][j], table[i + 1][j - 1] + pairs(base[i], base[j]));
            for (int k = i + 1; k < j; k++)
                table[i][j] = larger(table[i][j], table[i][k] + table[k + 1][j]);
        }
}
