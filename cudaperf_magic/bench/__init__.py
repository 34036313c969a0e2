"""Task and candidate in, Outcome out. The only folder that starts processes or touches a device."""
