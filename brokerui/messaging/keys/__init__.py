"""The keys of dialog security: a key pair for each hosted database, and the public keys of those it speaks with."""
