"""The pages *Routing tests*: the files that are kept for the live estate, each with its results."""
