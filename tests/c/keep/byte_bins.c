/* Votes of high nibbles in sixteen bytes, which wrap around. */
void byte_bins(int n, const unsigned char x[n], unsigned char votes[16])
{
    for (int i = 0; i < n; i++)
        votes[x[i] >> 4] += 3;
}
