"""What all pictures are made of: rectangles, and texts that are measured before a browser sees them."""
