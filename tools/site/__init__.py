"""Build a site that needs no server, JupyterLite with every learner notebook: `make site`; steps in `pipeline.py`."""
