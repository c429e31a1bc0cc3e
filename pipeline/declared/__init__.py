"""The tables of telemetry as a graph that Spark's declarative pipelines check and compute."""
