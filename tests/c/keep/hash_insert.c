#define SLOTS 64

/* slot starts out as zeros, which mean empty; n stays below SLOTS */
void hash_insert(int n, const unsigned key[n], unsigned slot[SLOTS])
{
    for (int s = 0; s < SLOTS; s++)
        slot[s] = 0;
    for (int i = 0; i < n; i++) {
        unsigned h = key[i] * 2654435761u % SLOTS;
        while (slot[h] != 0 && slot[h] != key[i])
            h = (h + 1) % SLOTS;
        slot[h] = key[i];
    }
}
