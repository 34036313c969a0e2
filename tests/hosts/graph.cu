// launches: k 1x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1,32,0,s>>>(n,a,x,y);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, NULL, NULL, 0);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
}
