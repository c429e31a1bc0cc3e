"""What the pipeline found about an estate's traffic: its results, run by run."""
