// sizes: n=1000
void counts(int n, const int key[n], int count[16]) {
    for (int i = 0; i < n; i++) count[key[i]]++;
}
