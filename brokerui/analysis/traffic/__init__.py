"""The results of the pipeline about an estate's traffic, run by run."""
