"""The verbs of messaging over REST, and the product's views of what is under way."""
