"""Records in, a private posterior and its receipt out."""
