"""`inspect`: a CUDA program of one's own -> an Inspection, by one watched run on the simulator. No reference is needed.

entry.py finds what to run, launch_line.py and default_launch.py make a host function where there is none,
main_program.py and slicing.py read a whole program's main(); inputs.py, values.py and extents.py make up what is not
given; running.py runs it in a child; reporting.py puts the records together; inspect.py is the order of all that.
"""
