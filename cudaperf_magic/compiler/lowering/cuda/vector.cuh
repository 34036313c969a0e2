// $words neighbouring elements that travel together, $how, at a multiple of $bytes bytes.
struct alignas($bytes) $name {
    $type lane[$count];
    __device__ $type &operator[](int v) { return lane[v]; }
};
__device__ $name load_x$count(const $type *from) { return *(const $name *)from; }
__device__ void store_x$count($type *to, $name all) { *($name *)to = all; }
