#ifndef CUDAPERF_STDBOOL_H
#define CUDAPERF_STDBOOL_H
/* `true` and `false` stay words: the reader knows them. */
#define bool _Bool
#endif
