"""`python -m pipeline`, which `brokerui pipeline` starts."""

import sys

from pipeline.runtime.shutdown import SHUTDOWN, silence_py4j


def run() -> int:
    """Run a job. Returns its exit status, also where a signal comes while its command line is being loaded."""
    silence_py4j()
    SHUTDOWN.install()
    try:
        from pipeline.cli import main  # noqa: PLC0415 - signals are heard by then
    except KeyboardInterrupt:
        return 130
    return main()


sys.exit(run())
