"""A running instance: the dialog protocol over a store, with the routing rules deciding where messages go.

Here, and only here, the two meet.
"""
