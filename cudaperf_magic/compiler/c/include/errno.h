#define EINVAL 22
#define ERANGE 34
