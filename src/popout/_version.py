"""The version: the one place that packaging and ``popout.__version__`` read."""

__version__ = "0.2.0.dev0"
