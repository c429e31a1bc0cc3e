"""`python -m pipeline`, which `brokerui pipeline` starts."""

import sys

from pipeline.cli import main
from pipeline.runtime.shutdown import SHUTDOWN, silence_py4j

silence_py4j()
SHUTDOWN.install()
sys.exit(main())
