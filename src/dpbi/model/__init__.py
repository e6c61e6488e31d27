"""What the data are: count vectors, their posteriors, distances between them, and how far one record moves them."""
