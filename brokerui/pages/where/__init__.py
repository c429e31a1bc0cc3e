"""Where does it go? The page, and the words for its answers."""
