"""Runs a kernel's PTX on the CPU and counts what a GPU would have done. Claims no time."""
