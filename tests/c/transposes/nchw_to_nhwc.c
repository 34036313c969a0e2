void nchw_to_nhwc(int N, int C, int H, int W, const float *in, float *out)
{
    for (int n = 0; n < N; n++)
        for (int c = 0; c < C; c++)
            for (int h = 0; h < H; h++)
                for (int w = 0; w < W; w++)
                    out[((n * H + h) * W + w) * C + c] = in[((n * C + c) * H + h) * W + w];
}
