"""Template tags of the map."""
