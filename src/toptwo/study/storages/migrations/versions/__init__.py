"""The revisions of the tables, one module each."""
