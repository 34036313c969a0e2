"""Lane B: candidates with host code of their own, run in a child that knows nothing worth stealing."""
