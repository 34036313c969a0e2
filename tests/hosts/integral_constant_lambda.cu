// refused: the type std::integral_constant<int, 64> is not known to the reader of host code; use plain C types there
void saxpy(int n, float a, const float *x, float *y) {
    auto go = [&](auto tag) { constexpr int B = decltype(tag)::value; bk<B><<<1, B>>>(n, x, y); };
    go(std::integral_constant<int, 64>{});
}
