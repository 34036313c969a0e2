void key_schedule(int k, const unsigned char key[k], unsigned char s[256])
{
    int j = 0;
    for (int i = 0; i < 256; i++)
        s[i] = (unsigned char)i;
    for (int i = 0; i < 256; i++) {
        j = (j + s[i] + key[i % k]) & 255;
        unsigned char t = s[i];
        s[i] = s[j];
        s[j] = t;
    }
}
