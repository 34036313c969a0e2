// launches: vk<true> 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    bool v = n % 4 == 0 && ((size_t)x % 16) == 0;
    if (v) vk<true><<<1,32>>>(n,x,y);
    else vk<false><<<1,32>>>(n,x,y);
}
