"""On a CUDA device: the driver, plans that run on it, what its ceilings are, and how long a plan takes.

| module | its one job |
|---|---|
| `driver` | the driver's calls through ctypes, and what its error codes mean |
| `running` | a launch plan, step by step, once |
| `launching` | one launch, laid out once and made as often as wanted |
| `graph` | a plan's steps as CUDA graphs |
| `places` | where arrays and workspaces lie in one piece of memory |
| `sets` | one set of a program's buffers: restored, poisoned, called |
| `timing` | cold, warm and end-to-end windows of a program; every timed call's outputs looked at |
| `transfers` | host memory that the device reads and writes directly |
| `ipc` | memory of one process, mapped by another |
| `state` | which variables of a module could remember an answer |
| `trusted` | the bench's own kernels (trusted.cu): fingerprints, the flush of L2, what else runs between calls |
| `fingerprint` | the fingerprint in NumPy |
| `ceilings` | what the card reaches (ceilings.cu) |
| `clocks` | clocks, temperature, power and throttling |
| `lock` | one lock a GPU, across processes |
| `health` | whether a device computes rightly now |
| `child`, `messages` | a device's child: what it is asked, and what it answers |
"""
