void bincount(int n, int bins, const int key[n], int count[bins])
{
    for (int i = 0; i < n; i++)
        count[key[i]] += 1;
}
