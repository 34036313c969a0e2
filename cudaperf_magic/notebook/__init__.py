"""What people see: magics, the live view and the report. The only folder that knows Jupyter."""
