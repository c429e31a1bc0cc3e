"""Remedies tried before they are offered: each runs on a copy of the estate, and the engine says what it does there."""
