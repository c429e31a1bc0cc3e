"""Django's backend for SQLite, and how a transaction gives the one write lock of the database back while it waits."""
