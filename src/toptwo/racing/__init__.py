"""Racing: which command, or function, is best, told by interleaved runs until it is certain."""
