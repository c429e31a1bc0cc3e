"""Read the files of an input into one table, and put what cannot be read into quarantine."""
