// Functions that are called through pointers and virtual tables.
typedef int (*Change)(int);

__device__ __noinline__ int twice(int v) { return 2 * v; }
__device__ __noinline__ int squared(int v) { return v * v; }
__device__ __noinline__ int negated(int v) { return -v; }
__device__ Change table[3] = {twice, squared, negated};

__global__ void by_table(const int* x, int* y) {
    int t = threadIdx.x;
    y[t] = table[x[t] % 3](x[t]);
}

__global__ void by_choice(const int* x, int* y) {
    int t = threadIdx.x;
    Change change = x[t] > 5 ? twice : negated;
    if (x[t] != 3) y[t] = change(x[t]);
}

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __device__ Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

__device__ __noinline__ float measure(const Shape* shape) { return shape->area(); }

__global__ void virtual_areas(const float* x, float* y) {
    int t = threadIdx.x;
    Square square(x[t]);
    Circle circle(x[t]);
    y[t] = measure(t % 3 ? (const Shape*)&square : (const Shape*)&circle);
}

__global__ void from_nowhere(const long long* x, int* y) {
    Change change = (Change)x[0];
    y[threadIdx.x] = change(3);  // no function
}

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1) + (n > 100); }
__global__ void recursive(const int* x, int* y) { y[threadIdx.x] = factorial(x[threadIdx.x]) + factorial(3); }

__global__ void asks_for_memory(const int* x, int* y) {
    int* own = new int[x[0]];  // the heap
    own[0] = x[1];
    y[threadIdx.x] = own[0];
    delete[] own;
}
