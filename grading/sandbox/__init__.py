"""Run a submission where it can hurt nobody, and bring back plain data: read `service.py` first, then `zygote.py`."""
