"""The page of queues: messages in each, arrivals and receives, whether it is on, and its readers."""
