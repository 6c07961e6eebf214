"""Work on data: Spark sessions, runners and jobs."""
