"""On a CUDA device: the driver, plans that run on it, what its ceilings are, and how long a plan takes.

| module | its one job |
|---|---|
| `driver` | the driver's calls through ctypes, and what its error codes mean |
| `running` | a launch plan, step by step, once |
"""
