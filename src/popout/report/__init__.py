"""What a run leaves for its readers: data that can be trusted, pictures, a page."""
