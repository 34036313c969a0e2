/* Index of the largest element; ties go to the first. */
int argmax(int n, const int v[n])
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (v[i] > v[best])
            best = i;
    return best;
}
