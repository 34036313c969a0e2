long find_first(long n, const unsigned char *hay, unsigned char needle)
{
    long i;
    for (i = 0; i < n; i++)
        if (hay[i] == needle)
            break;
    return i < n ? i : -1;
}
