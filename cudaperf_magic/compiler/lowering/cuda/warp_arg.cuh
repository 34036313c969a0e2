// Finds the best value of the warp and its index; of equal values the $which index wins. Every lane gets both.
__device__ void $name($value_type &value, $index_type &index) {
    for (int offset = 16; offset > 0; offset /= 2) {
        $value_type other = __shfl_xor_sync(0xffffffffu, value, offset);
        $index_type place = __shfl_xor_sync(0xffffffffu, index, offset);
        if (other $better value || (other == value && place $earlier index)) {
            value = other;
            index = place;
        }
    }
}
