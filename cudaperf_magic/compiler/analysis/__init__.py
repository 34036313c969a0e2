"""What loops depend on: which are parallel, reductions or scans; how large arrays are and which way they go."""
