#!/usr/bin/env python
"""Django's own commands, on this project's settings."""

import os
import sys

from django.core.management import execute_from_command_line


def main() -> None:
    """Run the command that the arguments name."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
