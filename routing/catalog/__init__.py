"""The catalog of a live instance: the script that collects it, and the import of its saved result into an estate.

`collect.sql` runs on the instance; its result is a document `brokerui.catalog/1`, cut into rows that survive any tool
that saves them. `reading` takes the bytes; `frames` and `unwrap` rebuild the document, or `grid_parser` and
`grid_import` read a grid; both give a `snapshot`, which `applying` merges into an estate.
"""
