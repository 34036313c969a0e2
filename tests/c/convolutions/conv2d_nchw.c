void conv2d_nchw(int N, int C, int H, int W, int K, int R, int stride, int pad,
                 const float *x, const float *w, const float *bias, float *y)
{
    int P = (H + 2 * pad - R) / stride + 1;
    int Q = (W + 2 * pad - R) / stride + 1;

    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++)
            for (int p = 0; p < P; p++)
                for (int q = 0; q < Q; q++) {
                    float acc = bias[k];
                    for (int c = 0; c < C; c++)
                        for (int r = 0; r < R; r++)
                            for (int s = 0; s < R; s++) {
                                int iy = p * stride - pad + r;
                                int ix = q * stride - pad + s;
                                if (iy >= 0 && iy < H && ix >= 0 && ix < W)
                                    acc += x[((n * C + c) * H + iy) * W + ix]
                                         * w[((k * C + c) * R + r) * R + s];
                            }
                    y[((n * K + k) * P + p) * Q + q] = acc;
                }
}
