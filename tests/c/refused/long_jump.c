#include <setjmp.h>

static jmp_buf out;

int long_jump(int n, const int x[n])
{
    if (setjmp(out))
        return 0;
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            longjmp(out, 1);
    return 1;
}
