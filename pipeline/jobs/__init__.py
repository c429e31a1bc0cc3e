"""The jobs: each reads, transforms, writes, and says what it counted."""
