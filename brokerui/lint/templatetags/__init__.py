"""Template tags of findings."""
