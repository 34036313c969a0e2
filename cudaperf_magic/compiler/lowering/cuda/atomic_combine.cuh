// An atomic that the hardware lacks: tries again until no other thread came between.
__device__ void $name($type *address, $type value) {
    $word *place = ($word *)address;
    $word old = atomicCAS(place, 0, 0), seen;  // reads it, as an atomic
    do {
        seen = old;
        $type current;
        memcpy(&current, &seen, sizeof current);
        $type next = $combine;
        $word bits;
        memcpy(&bits, &next, sizeof bits);
        old = atomicCAS(place, seen, bits);
    } while (old != seen);
}
