/* old is overwritten with the new level */
void wave_periodic(int n, double c2, double old[n], const double now[n])
{
    for (int i = 0; i < n; i++) {
        int l = (i + n - 1) % n;
        int r = (i + 1) % n;
        old[i] = 2.0 * now[i] - old[i] + c2 * (now[l] - 2.0 * now[i] + now[r]);
    }
}
