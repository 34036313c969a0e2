// launches: k 1000x1x1 32x1x1; k 4x1x1 32x1x1
void saxpy(int n, float a, const float *x, float *y) {
    std::vector<int> s;
    for (int m = n; m > 1; m = (m + 255) / 256) s.push_back(m);
    for (size_t i = 0; i < s.size(); i++) k<<<s[i], 32>>>(n,a,x,y);
}
