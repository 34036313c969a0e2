#define H 31
#define W 45

unsigned short image[H][W];
unsigned char active[H];

unsigned long long global_image_total(void)
{
    unsigned long long total = 0;
    for (int y = 0; y < H; y++) {
        if (!active[y])
            continue;
        for (int x = 0; x < W; x++)
            total += image[y][x];
    }
    return total;
}
