"""`python -m pipeline`, which `brokerui pipeline` starts."""

import sys

from pipeline.cli import main
from pipeline.ending import ENDING, say_it_once

say_it_once()
ENDING.heed()
sys.exit(main())
