"""`python -m pipeline`, which `brokerui pipeline` starts."""

import sys

from pipeline.cli import main

sys.exit(main())
