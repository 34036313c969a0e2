"""What the hardware counted while a kernel ran, and which tools of NVIDIA's looked at it."""
