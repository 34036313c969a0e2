#include <math.h>

void pendulum(int steps, double dt, double angle, double speed, double trace[steps])
{
    for (int k = 0; k < steps; k++) {
        speed -= dt * sin(angle);
        angle += dt * speed;
        trace[k] = angle;
    }
}
