"""Task and candidate in, Outcome out: build, verify, measure. The only folder that starts processes or touches a device."""
