"""The adjacent broker protocol: fragments as bytes, frames, and the connections that carry them (ADJ-1, ADJ-2).

Bytes and time come in, bytes and events go out; sockets belong to the caller. docs/reference/wire.md is the format.
"""
