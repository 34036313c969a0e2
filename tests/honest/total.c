// sizes: n=3000
void total(int n, const float x[n], float s[1]) {
    s[0] = 0;
    for (int i = 0; i < n; i++) s[0] += x[i];
}
