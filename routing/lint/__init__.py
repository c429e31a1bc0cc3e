"""Lint: what is wrong with an estate, before messages tell. One module a family of checks; `registry` has them all."""
