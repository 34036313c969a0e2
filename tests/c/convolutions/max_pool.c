void max_pool(int h, int w, const float *in, float *out)
{
    int oh = h / 2, ow = w / 2;
    for (int i = 0; i < oh; i++)
        for (int j = 0; j < ow; j++) {
            float m = in[(2 * i) * w + 2 * j];
            for (int k = 1; k < 4; k++) {
                float v = in[(2 * i + k / 2) * w + 2 * j + k % 2];
                m = v > m ? v : m;
            }
            out[i * ow + j] = m;
        }
}
