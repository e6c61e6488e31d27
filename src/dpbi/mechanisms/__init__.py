"""What is released: every mechanism as one description, in one table."""
