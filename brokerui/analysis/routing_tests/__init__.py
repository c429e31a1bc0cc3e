"""Routing tests in files: how their YAML is read, and how the tests of several files are judged on an estate."""
