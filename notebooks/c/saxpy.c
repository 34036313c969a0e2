/* The first kernel anyone writes: y becomes a*x + y.
   Every element is on its own, so every element can have a thread of its own. */
void saxpy(int n, float a, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
