/* Running sums that begin again every 256 elements. */
void running_sums(int blocks, const int x[blocks * 256], int sums[blocks * 256])
{
    for (int b = 0; b < blocks; b++) {
        int sum = 0;
        for (int i = 0; i < 256; i++) {
            sum += x[b * 256 + i];
            sums[b * 256 + i] = sum;
        }
    }
}
