"""The page of forwarding: messages that instances hold for others, their limit, and those that were dropped."""
