"""Where files are: paths, URLs, and stores that are worse than a file system."""
