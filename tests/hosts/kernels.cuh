// Put before every host function of this folder.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cassert>
#include <stdexcept>
#include <vector>
#include <array>
#include <utility>
#include <cmath>
__global__ void k(int n, float a, const float *x, float *y) { }
__global__ void two(const float *x, float *t, int n) { }
template <typename T, int B> __global__ void tk(int n, T a, const T *x, T *y) { }
template <int B> __global__ void bk(int n, const float *x, float *y) { }
template <bool V> __global__ void vk(int n, const float *x, float *y) { }
