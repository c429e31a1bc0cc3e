"""Parts that every room uses: errors, sentences, names, times, identifiers, findings, broker events.

Nothing here knows what an estate is.
"""
