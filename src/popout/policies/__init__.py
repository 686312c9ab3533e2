"""What an observer does: where it looks (`looking`), when it stops and what it says."""
