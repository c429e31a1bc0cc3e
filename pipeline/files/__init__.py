"""Where files are: places that users name as paths or URLs, and the file systems that reach them."""
