"""The figures and claims of the paper: one module each, computed and then drawn."""
