"""C in, loop nests, CUDA out: text and trees only; knows no device and runs nothing that it writes."""
