"""What NVIDIA's own instruments say of kernels that ran: counters, faults, who ran.

| module | its one job |
|---|---|
| `metrics` | which metrics answer for the seven properties; their counts under short names |
| `counted` | counts, and what the simulator saw -> the structure |
| `cupti`, `cupti_types` | CUPTI's range profiler through ctypes |
| `counting` | the profiler in the child that holds a program, opened for one count |
| `profiling`, `profiler_child` | the one process that holds the profiler open, and counts on memory that others lend |
| `availability` | whether counters may be read here, and why not |
| `ncu` | the same counts through Nsight Compute's command line |
| `sanitizer` | compute-sanitizer over one run |
| `replay`, `tool` | the process that such a tool watches, and how one is started and ended |
| `activity` | which kernels ran, whose, and their share of the time |
"""
