"""The jobs: each reads, transforms, writes, and reports its counts."""
