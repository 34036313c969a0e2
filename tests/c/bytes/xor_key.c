void xor_key(int n, int k, unsigned char buf[n], const unsigned char key[k])
{
    for (int i = 0; i < n; i++)
        buf[i] ^= key[i % k];
}
