// launches: bk<128> 1x1x1 128x1x1
void saxpy(int n, float a, const float *x, float *y) {
    switch (n % 3) { case 0: bk<64><<<1, 64>>>(n,x,y); break; case 1: bk<128><<<1,128>>>(n,x,y); break; default: bk<256><<<1,256>>>(n,x,y); }
}
