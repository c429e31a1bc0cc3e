"""The jobs on a Spark cluster: a master and two workers, from the same package."""
