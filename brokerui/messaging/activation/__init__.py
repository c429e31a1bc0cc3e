"""Activation: readers of queues, started when messages are there."""
