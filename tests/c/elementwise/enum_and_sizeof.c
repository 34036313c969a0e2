enum channel { RED, GREEN, BLUE, ALPHA, CHANNELS };

static const float weight[] = {0.25f, 0.5f, 0.125f, 0.125f};

void enum_and_sizeof(int n, const float px[n][CHANNELS], float mono[n])
{
    for (int i = 0; i < n; i++) {
        mono[i] = px[i][ALPHA] * 0.0f;
        for (unsigned c = RED; c < sizeof weight / sizeof weight[0]; c++)
            mono[i] += weight[c] * px[i][c];
    }
}
