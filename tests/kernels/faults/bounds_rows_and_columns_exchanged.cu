// A matrix of 3 rows and 5 columns, read as if it had 5 rows and 3 columns and then transposed wrongly.
// run: read<<<1, (5, 3)>>>(a, b)
// arrays: a = float[15], b = float[15]
// expect: out_of_bounds, thread (4,1,0), a[21], row * width + column
__global__ void read(const float *a, float *b) {
    int column = threadIdx.x, row = threadIdx.y;
    float value = 0.0f;
#ifdef MENDED
    value = a[row * 5 + column];
#else
    if (row == 1 && column == 4) value = a[column * 5 + row];  // <- fault
#endif
    b[row * 5 + column] = value;
}
