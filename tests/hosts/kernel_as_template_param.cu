// refused: there is no kernel F in this file
template <auto F> void go(int n, float a, const float *x, float *y) { F<<<1,32>>>(n,a,x,y); }
void saxpy(int n, float a, const float *x, float *y) {
    go<k>(n,a,x,y);
}
