"""The differential: what a change of the estate does to every class of traffic."""
