"""The routing rules, each in one file: matching (MATCH), choosing (CHOOSE), locating (LOC), mirrored routes (MIR).

`router` applies them to one hop, `journey` to all hops; the `*_account` modules explain them in sentences.
"""
