"""`python -m cudaperf_magic ...` is the command `cudaperf ...`."""

from __future__ import annotations

import sys

from .cli import main

sys.exit(main())
