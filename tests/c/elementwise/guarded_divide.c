/* Safe division: where the divisor vanishes the old quotient stays. */
void guarded_divide(int n, const float num[n], const float den[n], float quot[n])
{
    for (int i = 0; i < n; i++) {
        if (den[i] != 0.0f)
            quot[i] = num[i] / den[i];
    }
}
