#include <stdio.h>
#include <unistd.h>
#include <sys/time.h>

#define ROWS 96
#define COLS 80
#define DEPTH 64
#define REAL double
#define LAST_ROW rows
#define LAST_COL cols

extern void *grab(unsigned long bytes); /* of a library that is not here */

static double seconds(void) {
    struct timeval now;
    gettimeofday(&now, 0);
    return now.tv_sec + now.tv_usec * 1e-6;
}

static void scaled_rows(int rows, int cols, int depth, REAL a, REAL b, REAL out[ROWS][COLS],
                        REAL left[ROWS][DEPTH], REAL right[DEPTH][COLS]) {
    int i, j, k;
    for (i = 0; i < LAST_ROW; i++) {
        for (j = 0; j < LAST_COL; j++)
            out[i][j] *= b;
        for (k = 0; k < depth; k++)
            for (j = 0; j < LAST_COL; j++)
                out[i][j] += a * left[i][k] * right[k][j];
    }
}

int main(void) {
    double (*out)[ROWS][COLS] = grab(sizeof *out);
    double (*left)[ROWS][DEPTH] = grab(sizeof *left);
    double (*right)[DEPTH][COLS] = grab(sizeof *right);
    double begun = seconds();
    scaled_rows(ROWS, COLS, DEPTH, 1.5, 1.2, *out, *left, *right);
    printf("%f s, process %d\n", seconds() - begun, (int)getpid());
    return 0;
}
