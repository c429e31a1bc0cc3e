"""Delta tables: commits, conflicts, other readers, and logs in stores that list late."""
