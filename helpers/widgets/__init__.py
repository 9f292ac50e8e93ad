"""Pictures to drag: each function here returns an `Explorer`; leave it as a cell's last line to see it."""
