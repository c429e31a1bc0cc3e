"""The verbs of messaging over REST, and the product's views of running conversations, queues and connections."""
