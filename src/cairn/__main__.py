"""`python -m cairn`."""

import sys

from cairn.program.start import main

sys.exit(main())
