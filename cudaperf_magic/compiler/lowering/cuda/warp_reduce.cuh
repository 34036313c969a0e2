// Combines one value of every lane of the warp by shuffles; every lane gets the result.
__device__ $type $name($type value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        $type other = __shfl_xor_sync(0xffffffffu, value, offset);
        value = $combine;
    }
    return value;
}
