void g(int n, const float block[n], float grid[n], float min, float max, float warp[n]) {
    for (int result = 0; result < n; result++) { grid[result] = block[result] < min ? min : block[result] > max ? max : block[result]; warp[result] = grid[result] * 2; }
}
