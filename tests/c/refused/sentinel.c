long sentinel(const int *list)
{
    long sum = 0;
    for (int i = 0; list[i] >= 0; i++)
        sum += list[i];
    return sum;
}
