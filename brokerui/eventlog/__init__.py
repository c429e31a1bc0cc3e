"""What happens in the hosted instances, kept: counters per minute, exceptional events, and, switched on, all events."""
