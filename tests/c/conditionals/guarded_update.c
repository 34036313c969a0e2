void guarded_update(int n, float *pos, float *vel, const int *alive)
{
    for (int i = 0; i < n; i++) {
        if (!alive[i])
            continue;
        pos[i] += 0.01f * vel[i];
        if ((pos[i] < -1.0f && vel[i] < 0.0f) || (pos[i] > 1.0f && vel[i] > 0.0f))
            vel[i] = -vel[i];
    }
}
