"""The pages *Conversations* and of one conversation."""
