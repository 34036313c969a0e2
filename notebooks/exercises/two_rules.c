/* Elements at even places follow one rule, those at odd places another. */
void two_rules(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) {
        float v = x[i];
        if (i % 2 == 0)
            for (int k = 0; k < 16; k++)
                v = 0.5f * v + 0.25f * v * v;
        else
            for (int k = 0; k < 16; k++)
                v = 0.75f - 0.5f * v;
        y[i] = v;
    }
}
