#include <float.h>

void csr_row_max(int rows, int nnz, const int ptr[rows + 1], const float val[nnz], float best[rows])
{
    for (int r = 0; r < rows; r++) {
        float m = -FLT_MAX;
        for (int k = ptr[r]; k < ptr[r + 1]; k++)
            m = val[k] > m ? val[k] : m;
        best[r] = m;
    }
}
