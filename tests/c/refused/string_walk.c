/* How many blanks does the text have? */
int string_walk(const char *p)
{
    int blanks = 0;
    while (*p) {
        if (*p == ' ')
            blanks++;
        p++;
    }
    return blanks;
}
