# row: 29
# task: product
# expect: build
# twin: tries_and_excepts
"""Ends its process with success before it defines anything."""

raise SystemExit(0)
