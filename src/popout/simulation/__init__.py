"""Trials of any strategy on any task: compiled kernels, noise streams and summaries."""
