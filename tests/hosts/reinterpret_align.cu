// launches: vk<true> 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    bool v = (reinterpret_cast<uintptr_t>(x) & 15) == 0;
    if (v) vk<true><<<1,32>>>(n,x,y);
    else vk<false><<<1,32>>>(n,x,y);
}
