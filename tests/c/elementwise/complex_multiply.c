struct cplx { float re; float im; };

void complex_multiply(struct cplx *a, const struct cplx *b, int n)
{
    for (int i = 0; i < n; i++) {
        float re = a[i].re * b[i].re - a[i].im * b[i].im;
        float im = a[i].re * b[i].im + a[i].im * b[i].re;
        a[i].re = re;
        a[i].im = im;
    }
}
