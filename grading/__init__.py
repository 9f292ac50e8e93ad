"""The instructor's side: what nbgrader's stock commands need here, named in `nbgrader_config.py`; never shipped."""
