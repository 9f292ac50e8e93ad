"""Build the notebooks from lessons/: `make build`, or `python -m tools.build`; the steps stand in `pipeline.py`."""
