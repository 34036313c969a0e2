#ifndef CUDAPERF_STDARG_H
#define CUDAPERF_STDARG_H
typedef void *va_list;
#endif
