"""Dialog security: which protection a dialog has, its keys, and what protects each of its fragments (DLG-SEC, INT-1).

Ciphers come in from outside (`port`); everything here is the standard library's hashes. docs/reference/wire.md,
"Protection" and "Keys", is the format.
"""
