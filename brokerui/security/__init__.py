"""What the protocols need from cryptography packages."""
