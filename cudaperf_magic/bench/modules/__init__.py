"""Lane B: a candidate with host code of its own (a PyTorch `ModelNew`) runs in a child that knows no secret.

In the order in which they work: evaluate.py (the parent: seeds, clocks, verdict) opens referee.py (the process that
makes inputs, owns the memory, computes the reference and compares) and child.py (the hostile process: only the
candidate's text, and one set of inputs at a time). It holds no reference, tolerance, seed or verdict.
"""
