"""The page *Events*: what went wrong in the hosted instances."""
