"""The lake that `ingest` fills, and traffic from a lake or from files."""
