static const char digits[] = "0123456789abcdef";

void hex_encode(int n, const unsigned char in[n], char out[2 * n])
{
    for (int i = 0; i < n; i++) {
        out[2 * i] = digits[in[i] >> 4];
        out[2 * i + 1] = digits[in[i] & 15];
    }
}
