"""A cell or a file becomes a Task: arguments, roles, sizes, values, cases."""
