"""People: response times in, fitted observers and their distance from the optimum out."""
