"""Records of the hosted instances: counters per minute, exceptional events, and, switched on, all events."""
