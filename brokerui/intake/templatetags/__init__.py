"""Template tags of imports."""
