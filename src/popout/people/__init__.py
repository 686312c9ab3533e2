"""People: response times in, fitted observers and their distance to the optimum out."""
