"""Lint: finds errors in an estate before they cost messages. Each module holds one family of checks; `registry` lists
all."""
