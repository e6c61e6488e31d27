"""What privacy can be promised: notions as values, and how they compose."""
