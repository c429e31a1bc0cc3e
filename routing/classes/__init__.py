"""Traffic classes: conversations that routing treats alike, evaluated once each for a whole estate."""
