"""Template tags of the page."""
