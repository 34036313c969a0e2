void coin_change(int coins, int total, const int coin[coins], unsigned ways[total + 1])
{
    ways[0] = 1;
    for (int s = 1; s <= total; s++)
        ways[s] = 0;
    for (int c = 0; c < coins; c++)
        for (int s = coin[c]; s <= total; s++)
            ways[s] += ways[s - coin[c]];
}
