#include <stddef.h>

void to_upper(char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (s[i] >= 'a' && s[i] <= 'z')
            s[i] = (char)(s[i] - 'a' + 'A');
}
