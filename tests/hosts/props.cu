// launches: k 528x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    k<<<p.multiProcessorCount * 4, p.maxThreadsPerBlock / 4>>>(n,a,x,y);
}
