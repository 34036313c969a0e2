"""The catalogue of moves: each a named rewrite with a precondition that can say no, and the sentence that teaches it.

move.py says what a move is; launch.py, teams.py, memory.py and loops.py hold them; catalogue.py lists them all.
"""
