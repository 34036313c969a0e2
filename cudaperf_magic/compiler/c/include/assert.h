/* An assertion has no effect on what a correct program computes. */
#undef assert
#define assert(condition) ((void)0)
#define static_assert _Static_assert
