"""One file for each change of the tables since the first release; none yet."""
