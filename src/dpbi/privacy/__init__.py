"""What leaks: the exact loss of a mechanism over all datasets, and calibration to it."""
