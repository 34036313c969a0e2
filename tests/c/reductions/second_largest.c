int second_largest(int n, const int x[n])
{
    int first = x[0] > x[1] ? x[0] : x[1];
    int second = x[0] > x[1] ? x[1] : x[0];
    for (int i = 2; i < n; i++) {
        if (x[i] > first) {
            second = first;
            first = x[i];
        } else if (x[i] > second) {
            second = x[i];
        }
    }
    return second;
}
