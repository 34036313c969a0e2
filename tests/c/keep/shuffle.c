/* Fisher and Yates, with the random places drawn beforehand. */
void shuffle(int n, const int pick[n], int deck[n])
{
    for (int i = n - 1; i > 0; i--) {
        int t = deck[i];
        deck[i] = deck[pick[i]];
        deck[pick[i]] = t;
    }
}
