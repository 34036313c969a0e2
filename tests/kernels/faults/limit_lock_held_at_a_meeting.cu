// One lane holds the lock and waits for lanes that wait for the lock.
// run: lock<<<1, 32>>>(locked, x)
// arrays: locked = int[1], x = int[1]
// expect: limit, threads that wait for each other
// also: divergence, global_race
__global__ void lock(int *locked, int *x) {
#ifdef MENDED
    bool done = false;
    while (!done) {
        if (atomicCAS(locked, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)x += 1;
            __threadfence();
            atomicExch(locked, 0);
            done = true;
        }
    }
#else
    while (true) {
        if (atomicCAS(locked, 0, 1) == 0) atomicAdd(x, 1);  // <- fault
    }
#endif
}
