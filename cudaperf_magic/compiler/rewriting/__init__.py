"""Function -> function, before anything is mapped: jumps, returns, searches, copies, diagonals, order of loops."""
