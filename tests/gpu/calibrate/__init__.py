"""The simulator's counts against the hardware counters of a GPU: cases, measuring, simulating, comparing."""
