"""Spark jobs that apply `routing` to the traffic of a whole estate."""
