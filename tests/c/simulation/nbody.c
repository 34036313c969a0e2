#include <math.h>

typedef struct {
    float x, y, z, mass;
} body;

typedef struct {
    float x, y, z;
} vec3;

#define SOFTENING 1e-3f

void nbody(int n, const body b[n], vec3 acc[n])
{
    for (int i = 0; i < n; i++) {
        float ax = 0.0f, ay = 0.0f, az = 0.0f;
        for (int j = 0; j < n; j++) {
            float dx = b[j].x - b[i].x;
            float dy = b[j].y - b[i].y;
            float dz = b[j].z - b[i].z;
            float d2 = dx * dx + dy * dy + dz * dz + SOFTENING;
            float inv = 1.0f / sqrtf(d2);
            float f = b[j].mass * inv * inv * inv;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        acc[i].x = ax;
        acc[i].y = ay;
        acc[i].z = az;
    }
}
