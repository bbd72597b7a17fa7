"""Speed, start-up and memory of toptwo, measured; `python -m benchmarks` prints the tables (see README.md)."""
