"""How far off a release is: the exact law of its error, and enclosures where there is no list."""
