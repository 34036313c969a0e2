#include <stdio.h>

int reads_file(int n, unsigned char buf[n])
{
    FILE *f;
    f = fopen("data.bin", "rb");
    if (!f)
        return -1;
    int got = (int)fread(buf, 1, (size_t)n, f);
    fclose(f);
    return got;
}
