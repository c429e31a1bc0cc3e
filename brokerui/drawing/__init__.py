"""Parts of all pictures: rectangles, and texts that are measured before a browser sees them."""
