"""The catalog of a live instance: the script that collects it, and what its saved result says of an estate.

`collect.sql` runs on the instance; its result is a document `brokerui.catalog/1`, cut into rows that survive being
saved by any tool. Bytes come in here (`reading`), are put together again (`frames`, `plain`) or read as a grid
(`grids`), give what one input tells (`told`), and that is applied to an estate (`applying`).
"""
