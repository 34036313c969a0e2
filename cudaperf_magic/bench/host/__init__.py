"""The host function, read and never run: a small interpreter over its syntax tree (launcher.py is its door)."""
