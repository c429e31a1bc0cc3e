"""Mirrored routes at run time: which partner is the principal, and which ones an instance asks.

What the estate alone says about it is the rule `routing.rules.mirroring`.
"""
