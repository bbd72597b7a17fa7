"""The CUDA engine: the rounds and runs of the folder above, one lane of a device for each run."""
