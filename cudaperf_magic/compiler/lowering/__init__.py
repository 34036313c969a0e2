"""Nest -> kernel: threads a point, teams, tiles, vectors, bins; the device functions they call are in cuda/."""
