"""Background jobs: requested once per key, claimed by one worker, tried again, and shown."""
