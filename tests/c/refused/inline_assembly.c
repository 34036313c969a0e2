void inline_assembly(int n, unsigned x[n])
{
    for (int i = 0; i < n; i++) {
        unsigned v = x[i];
        __asm__ volatile("" : "+r"(v));
        x[i] = v + 1u;
    }
}
