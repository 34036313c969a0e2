"""The C itself as the reference: compiled as written, widened, and watched."""
