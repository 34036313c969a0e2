"""Runs and inspects CUDA kernels without a GPU: PTX becomes C, which runs on NumPy arrays, watched access by access.

`simulate` in launch.py is the door. What it calls, in the order of a run:

    ptx_reader.py            PTX text -> the nouns of ptx.py; ptx_tokens.py cuts it, ptx_scopes.py makes names unique
    flow.py                  a function -> segments; inlining.py, function_pointers.py, liveness.py serve it
    lower.py                 segments -> one C function that runs a warp. What an opcode means stands, as C, in
                               arithmetic.py  the table of integers.py, bits.py, video.py, floats.py, selection.py,
                                              conversion.py; rows.py and operands.py are what they share, nans.py
                                              keeps the GPU's NaN
                               memory_ops.py  loads and stores, with access.py; atomics.py, combining.py; async_ops.py
                               warp_ops.py    where lanes and warps meet; tensor.py
    native.py kernel.py      C -> a loaded function, through the compile cache; the runtime is built once a machine
    arena.py caches.py       the simulated memory; what the cache model must know of the card
    totals.py worst.py       counters -> costs by launch and line, the worst request of each line: result.py
    faults/                  what the runtime noted -> sentences

opcodes.py says which opcodes run (rows: opcode_rows.py, opcodes_arithmetic.py, opcodes_memory.py); it writes
OPCODES.md.

The runtime, in C: runtime.c schedules blocks, warps and lanes, limits.c ends them; memory.c checks where an address
leads; trace.c follows each access to cost.c (sectors, wavefronts), reuse.c (words that several warps read), cache.c
(L1, L2, DRAM) and races.c; async.c, tensor.c, text.c and rounding.c do what their names say. Generated code includes
sim.h, warp.h and arith.h; faults.h, cost.h, cache.h and races.h are what the files of the runtime tell each other.
"""
