"""Comma-separated values, line by line."""

from __future__ import annotations


class Line:
    """A file for `csv.writer`: each `writerow` gives its line back."""

    def write(self, text: str) -> str:
        return text
