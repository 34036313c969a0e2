void pointer_walk(int n, const float in[n], float out[n])
{
    const float *src = in;
    float *dst = out;
    for (int i = 0; i < n; i++)
        *dst++ = 2.0f * *src++;
}
