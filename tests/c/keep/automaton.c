static const unsigned char table[5][4] = {
    {1, 0, 2, 0}, {1, 3, 2, 0}, {4, 0, 2, 1}, {3, 3, 0, 4}, {0, 1, 2, 3},
};

int automaton(int n, const unsigned char in[n])
{
    int state = 0;
    for (int i = 0; i < n; i++)
        state = table[state][in[i] & 3];
    return state;
}
