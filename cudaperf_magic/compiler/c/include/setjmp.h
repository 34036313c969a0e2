#ifndef CUDAPERF_SETJMP_H
#define CUDAPERF_SETJMP_H
/* setjmp and longjmp are known to the reader by name, so that it can refuse them where they are used. */
typedef long jmp_buf[8];
#endif
