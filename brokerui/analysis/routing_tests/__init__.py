"""Routing tests in files: reading their YAML, judging them on an estate, and keeping those of the live estate."""
