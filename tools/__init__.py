"""The maintainer's commands: build the notebooks, prove the checks, cut the font."""
