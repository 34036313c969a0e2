"""load_inline without nvcc where the sources allow it: kernels through NVRTC, host functions read over tensors.

    sources.py   the call's texts -> HostCode: device code, host code, what is exported; or why it is not fast
    words.py     the vocabulary that torch adds to the language: types.py values, methods.py, factories.py, checks.py
    live.py      host functions that are evaluated at each call, and their arguments and results in Python
    module.py    the whole: `fast_module`; lane_b.py: the same between the two processes of lane B
    device.py    launches on torch's current stream; simulated.py on the simulator, over tensors in host memory

What is not known here is no error: the answer is NotFast with the reason, and nvcc builds it.
"""
