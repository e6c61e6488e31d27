"""What to conclude from a release: the posterior given the noise."""
