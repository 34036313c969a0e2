/* The logistic map, a population that eats its own future. Each value needs the one before,
   and the step is not linear, so nothing can be regrouped: a GPU has nothing to offer here.
   The right answer is to keep the C as it is. */
void logistic(int n, float rate, float start, float x[n])
{
    x[0] = start;
    for (int i = 1; i < n; i++)
        x[i] = rate * x[i - 1] * (1.0f - x[i - 1]);
}
