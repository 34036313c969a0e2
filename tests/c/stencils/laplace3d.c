#define AT(p, x, y, z) (p)[((z) * ny + (y)) * nx + (x)]

void laplace3d(int nx, int ny, int nz, const float *u, float *lap)
{
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++)
                AT(lap, x, y, z) = AT(u, x - 1, y, z) + AT(u, x + 1, y, z)
                                 + AT(u, x, y - 1, z) + AT(u, x, y + 1, z)
                                 + AT(u, x, y, z - 1) + AT(u, x, y, z + 1)
                                 - 6.0f * AT(u, x, y, z);
}
