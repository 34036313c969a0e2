void scan(int n, const float element[n], float total[n], int earlier, int part, int part_count, float s0[n]) {
    float n_cell = 0;
    for (int lane = 0; lane < n; lane++) { n_cell += element[lane]; total[lane] = n_cell; s0[lane] = earlier + part * part_count; }
}
