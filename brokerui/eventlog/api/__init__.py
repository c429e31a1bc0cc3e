"""Events and metrics for programs."""
