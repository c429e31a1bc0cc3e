"""Guarantees for REST programs: leases of messages, and idempotent requests."""
