"""`python -m pipeline`, which `brokerui pipeline` starts."""

import sys

from pipeline.cli import main
from pipeline.ending import ENDING

ENDING.heed()
sys.exit(main())
