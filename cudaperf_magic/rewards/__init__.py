"""An outcome's worth, term by term: pure functions and named presets."""
