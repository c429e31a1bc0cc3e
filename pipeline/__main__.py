"""`python -m pipeline`, which `brokerui pipeline` starts."""

import sys

from pipeline.cli import main
from pipeline.ending import end_as_interrupted

end_as_interrupted()
sys.exit(main())
