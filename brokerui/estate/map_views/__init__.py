"""Saved views of the map: its filter, and the places of its boxes, by name."""
