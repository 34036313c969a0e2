struct particle { double pos[2]; double vel[2]; };

void leapfrog(int n, int steps, double dt, struct particle p[n])
{
    for (int s = 0; s < steps; s++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 2; k++) {
                p[i].vel[k] -= dt * p[i].pos[k];
                p[i].pos[k] += dt * p[i].vel[k];
            }
}
