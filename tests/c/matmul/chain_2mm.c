#define NI 33
#define NJ 20
#define NK 17
#define NL 31

static float tmp[NI][NJ];

void chain_2mm(float A[NI][NK], float B[NK][NJ], float C[NJ][NL], float D[NI][NL])
{
    int i, j, k;
    for (i = 0; i < NI; i++)
        for (j = 0; j < NJ; j++) {
            tmp[i][j] = 0;
            for (k = 0; k < NK; k++)
                tmp[i][j] += A[i][k] * B[k][j];
        }
    for (i = 0; i < NI; i++)
        for (j = 0; j < NL; j++) {
            D[i][j] = 0;
            for (k = 0; k < NJ; k++)
                D[i][j] += tmp[i][k] * C[k][j];
        }
}
