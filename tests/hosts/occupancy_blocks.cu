// launches: k 132x1x1 256x1x1
void saxpy(int n, float a, const float *x, float *y) {
    int nb;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, k, 256, 0);
    int sms;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    k<<<nb * sms, 256>>>(n,a,x,y);
}
