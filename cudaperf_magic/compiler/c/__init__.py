"""C source -> the loop-nest IR: preprocessing, syntax, types, loops, and one sentence for what cannot be taken."""
