// sizes: n=700
void running(int n, const float x[n], float y[n]) {
    float s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        y[i] = s;
    }
}
