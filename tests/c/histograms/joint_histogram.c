#define LEVELS 16

void joint_histogram(int n, const unsigned char *a, const unsigned char *b,
                     int table[LEVELS][LEVELS])
{
    for (int i = 0; i < n; i++)
        table[a[i] >> 4][b[i] >> 4]++;
}
