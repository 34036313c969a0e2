// refused: the constructor and destructor of Buffer are not read; call what they call in the host function
struct Buffer { float *p; explicit Buffer(size_t n) { cudaMalloc(&p, n * sizeof(float)); } ~Buffer() { cudaFree(p); } };
void saxpy(int n, float a, const float *x, float *y) {
    Buffer t(n);
    two<<<1,32>>>(x, t.p, n);
}
