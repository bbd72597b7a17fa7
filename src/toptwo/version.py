"""The version of the package, where everything can import it from."""

__version__ = "0.1.0"
