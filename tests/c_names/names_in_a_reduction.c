float f1(int f, int half, int lane, int warp, int mine, int other, int thread, int offset, int stride, const float part[f]) {
    float s = half + lane + warp + mine + other + thread + offset + stride; int best = 0; float value = 0;
    for (int i = 0; i < f; i++) { s += part[i]; if (part[i] > value) { value = part[i]; best = i; } }
    return s + best;
}
