"""`python -m cairn`."""

import sys

from cairn.surfaces.cli import main

sys.exit(main())
