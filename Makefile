# Every target is idempotent: what is already there is not installed or made again. `make` alone lists them.
PYTHON ?= python3# the Python that .venv is made with, 3.11 or later: make lab PYTHON=python3.12
LAB_OPTIONS ?=# handed to JupyterLab: make lab LAB_OPTIONS="--no-browser --ip=0.0.0.0"
BIN := .venv/bin
LAB_SETTINGS := .venv/share/jupyter/lab/settings/overrides.json
NBGRADER = PATH="$(CURDIR)/$(BIN):$$PATH" nbgrader

.PHONY: help lab build test test-browser test-oracle proof grade lock
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: .venv/installed-for-lab  ## install what is missing and open JupyterLab on the notebooks
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks $(LAB_OPTIONS)

build: .venv/installed-from-lock  ## lessons/ -> solutions/ -> notebooks/, executed
	$(BIN)/python -m tools.build

test: .venv/installed-from-lock  ## run every check (about a quarter of an hour on two cores)
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4

test-browser: .venv/installed-from-lock  ## drive every widget in JupyterLab in Chromium (on Debian, root gets it installed)
	@sh tests/browser/need_chromium.sh
	$(BIN)/python -m pytest -o addopts= --import-mode=importlib tests/browser

grade: .venv/installed-for-grading  ## grade what is in submitted/: make grade ASSIGNMENT=ch04_01_attention
	@test -n "$(ASSIGNMENT)" || { echo "Name the assignment: make grade ASSIGNMENT=ch04_01_attention" >&2; exit 1; }
	$(BIN)/python -m grading autograde $(ASSIGNMENT) $(FORCE) || [ $$? -eq 1 ]  # 1: something needs a look
	$(NBGRADER) generate_feedback $(ASSIGNMENT) --force
	$(NBGRADER) export
	@echo "Marks: grades.csv. Feedback: feedback/STUDENT/$(ASSIGNMENT)/. Written answers count once they are marked (make lab,"
	@echo "menu Nbgrader > Formgrader); run this again afterwards. A file replaced in submitted/ needs FORCE=--force."

test-oracle: .venv-oracle/installed  ## compare the reference with PyTorch and transformers (installs both, aside)
	.venv-oracle/bin/python -m pytest -o addopts= --import-mode=importlib tests/oracle

proof: .venv/installed-from-lock  ## show that every checker refuses wrong answers and accepts right ones
	$(BIN)/python -m tools.proof

lock: .venv/installed-from-lock  ## refresh requirements.lock to the newest releases
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version=3.11 --all-extras \
	    --no-emit-index-url --custom-compile-command='make lock' --output-file=requirements.lock pyproject.toml

# ---- the environment -------------------------------------------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	    "$(PYTHON) is not Python 3.11 or later. Name one that is: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv .venv

# Widgets keep their state in a saved notebook, so that it opens as it was left.
$(LAB_SETTINGS): tools/lab_settings.json | $(BIN)/python
	@mkdir -p $(@D) && cp $< $@

.venv/installed-for-lab: pyproject.toml $(LAB_SETTINGS) | $(BIN)/python
	@echo "Installing JupyterLab and what the notebooks need into .venv (once)"
	$(BIN)/python -m pip install --quiet --editable '.[lab]'
	@touch $@

.venv/installed-for-grading: pyproject.toml | $(BIN)/python
	@echo "Installing nbgrader and what the notebooks need into .venv (once)"
	$(BIN)/python -m pip install --quiet --editable '.[grading]'
	@touch $@

# The versions in the lock, then the project itself: two installs of the same commit are the same.
.venv/installed-from-lock: requirements.lock pyproject.toml $(LAB_SETTINGS) | $(BIN)/python
	@echo "Installing the versions of requirements.lock into .venv (once)"
	$(BIN)/python -m pip install --quiet --constraint requirements.lock uv
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --requirement requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@ .venv/installed-for-lab .venv/installed-for-grading

# PyTorch and transformers are large and needed by nobody else: an environment of their own, made for this test alone.
.venv-oracle/installed: tests/oracle/requirements.txt
	@echo "Installing PyTorch and transformers into .venv-oracle (once)"
	$(PYTHON) -m venv .venv-oracle
	.venv-oracle/bin/python -m pip install --quiet --requirement tests/oracle/requirements.txt
	@touch $@
