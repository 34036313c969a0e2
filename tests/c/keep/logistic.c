/* The logistic map: chaotic, and each value needs the one before. */
void logistic(int n, double r, double x, double orbit[n])
{
    for (int i = 0; i < n; i++) {
        x = r * x * (1.0 - x);
        orbit[i] = x;
    }
}
