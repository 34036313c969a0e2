"""Runs and inspects CUDA kernels without a GPU: PTX becomes C, which runs on NumPy arrays, watched access by access."""
