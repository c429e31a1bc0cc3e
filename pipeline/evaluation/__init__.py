"""Evaluate the routing rules for classes of traffic over time. Runs on the driver, without Spark."""
