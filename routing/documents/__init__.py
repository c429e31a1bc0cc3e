"""Estates, edits and conversations as JSON, read and written."""
