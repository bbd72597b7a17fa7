"""toptwo: find the best of K noisy options with as few measurements as possible."""
