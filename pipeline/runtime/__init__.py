"""The processes of a job: Spark session, Java, shutdown, and what its failures mean."""
