/* One number from two vectors. The sum seems to go one step after the other,
   but addition may be regrouped: halves of halves, as a tournament. */
float dot(int n, const float x[n], const float y[n])
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
