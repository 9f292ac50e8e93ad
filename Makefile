# Every target is idempotent: what is already there is not installed or made again. `make` alone lists them.
PYTHON ?= python3# the Python that .venv is made with, 3.11 or later: make lab PYTHON=python3.12
SITE ?= site# the folder that make site writes
STUDENTS ?= 100# the class that make bench grades
LAB_OPTIONS ?=# handed to JupyterLab: make lab LAB_OPTIONS="--no-browser --ip=0.0.0.0"
BIN := .venv/bin
LAB_SETTINGS := .venv/share/jupyter/lab/settings/overrides.json
LAB_EXTENSION := .venv/share/jupyter/labextensions/readable-outputs/package.json
NBGRADER = PATH="$(abspath $(BIN)):$$PATH" nbgrader

.PHONY: help lab build site test test-browser test-site test-oracle proof grade bench lock
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: .venv/installed-for-lab  ## install what is missing and open JupyterLab on the notebooks
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks $(LAB_OPTIONS)

build: .venv/installed-from-lock  ## lessons/ -> solutions/ -> notebooks/, executed
	$(BIN)/python -m tools.build

site: .venv-site/installed  ## the notebooks as a site without a server, in site/ (needs npm); README says more
	.venv-site/bin/python -m tools.site --into $(SITE)

# A process on each core: with threads of their own, NumPy's products would wait for one another.
test test-browser test-site: export OPENBLAS_NUM_THREADS = 1

# Pictures are compared: matplotlib's settings and its list of fonts are not the user's.
build test test-browser test-site bench: export MPLCONFIGDIR = $(CURDIR)/.venv/share/matplotlib

test: .venv/installed-from-lock  ## run every check (about a quarter of an hour on two cores)
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4

test-browser: .venv/installed-from-lock chromium  ## drive every widget in JupyterLab in Chromium (on Debian, root gets it installed)
	$(BIN)/python -m pytest -o addopts= --import-mode=importlib --numprocesses=2 -ra --ignore=tests/browser/test_site.py tests/browser

test-site: .venv/installed-from-lock .venv-site/installed chromium  ## run and hand in a notebook of the site (EVERY_NOTEBOOK=1: all)
	$(BIN)/python -m pytest -o addopts= --import-mode=importlib -ra tests/browser/test_site.py

grade: an-assignment .venv/installed-for-grading  ## grade what is in submitted/: make grade ASSIGNMENT=ch04_01_attention
	$(BIN)/python -m grading autograde $(ASSIGNMENT) $(FORCE) || [ $$? -eq 1 ]  # 1: something needs a look
	$(NBGRADER) generate_feedback $(ASSIGNMENT) --force --log-level=ERROR  # else four lines a student hide the table
	$(NBGRADER) export --log-level=ERROR
	$(BIN)/python -m grading report $(ASSIGNMENT) --html report.html --csv report.csv > /dev/null  # autograde has printed the table
	@echo "Marks: grades.csv. Feedback: feedback/STUDENT/$(ASSIGNMENT)/. The class and its mistakes: report.html, report.csv."
	@echo "Written answers count once they are marked (make lab, menu Nbgrader > Formgrader); run this again afterwards."

.PHONY: an-assignment
an-assignment:
	@test -n "$(ASSIGNMENT)" || { echo "Name the assignment: make grade ASSIGNMENT=ch04_01_attention" >&2; exit 1; }

test-oracle: .venv-oracle/installed  ## compare the reference with PyTorch and transformers (installs both, aside)
	.venv-oracle/bin/python -m pytest -o addopts= --import-mode=importlib tests/oracle

proof: .venv/installed-from-lock  ## show that every checker refuses wrong answers and accepts right ones
	$(BIN)/python -m tools.proof

bench: .venv/installed-from-lock  ## measure set-up, widgets, and a class of STUDENTS=100 graded by stock nbgrader and by ours (half an hour)
	$(BIN)/python -m benchmarks.set_up
	$(BIN)/python -m benchmarks.widgets
	$(BIN)/python -m benchmarks.browser
	$(BIN)/python -m benchmarks.grading --students $(STUDENTS)

lock: .venv/installed-from-lock  ## refresh requirements.lock to the newest releases
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version=3.11 --extra=dev \
	    --no-emit-index-url --custom-compile-command='make lock' --output-file=requirements.lock pyproject.toml

# ---- the environment -------------------------------------------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	    "$(PYTHON) is not Python 3.11 or later. Name one that is: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv .venv

# Widgets keep their state in a saved notebook, so that it opens as it was left.
$(LAB_SETTINGS): tools/lab_settings.json | $(BIN)/python
	@mkdir -p $(@D) && cp $< $@

# Pictures keep a width at which they are read, and sliders tell a screen reader their names; the site has it, too.
$(LAB_EXTENSION): tools/lab_extension/package.json tools/lab_extension/remoteEntry.js | $(BIN)/python
	@mkdir -p $(@D) && cp $^ $(@D)

.venv/installed-for-lab: pyproject.toml $(LAB_SETTINGS) $(LAB_EXTENSION) | $(BIN)/python
	@echo "Installing JupyterLab and what the notebooks need into .venv (once)"
	$(BIN)/python -m pip install --quiet --editable '.[lab]'
	@touch $@

.venv/installed-for-grading: pyproject.toml | $(BIN)/python
	@echo "Installing nbgrader and what the notebooks need into .venv (once)"
	$(BIN)/python -m pip install --quiet --editable '.[grading]'
	@touch $@

# The versions in the lock, then the project itself: two installs of the same commit are the same.
.venv/installed-from-lock: requirements.lock pyproject.toml $(LAB_SETTINGS) $(LAB_EXTENSION) | $(BIN)/python
	@echo "Installing the versions of requirements.lock into .venv (once)"
	$(BIN)/python -m pip install --quiet --constraint requirements.lock uv
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --requirement requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@MPLCONFIGDIR=.venv/share/matplotlib $(BIN)/python -c 'import matplotlib.font_manager'  # makes the list of fonts
	@touch $@ .venv/installed-for-lab .venv/installed-for-grading

# JupyterLite brings a JupyterLab of its own: an environment of its own keeps the learner's as it is.
.venv-site/installed: pyproject.toml requirements.lock
	@echo "Installing JupyterLite into .venv-site (once)"
	$(PYTHON) -m venv .venv-site
	.venv-site/bin/python -m pip install --quiet --constraint requirements.lock uv
	.venv-site/bin/uv pip install --quiet --python .venv-site/bin/python --constraint requirements.lock --editable '.[site]'
	@touch $@

# Of two targets that run side by side, one may install it.
.PHONY: chromium
chromium:
	@sh tests/browser/need_chromium.sh

# PyTorch and transformers are large and needed by nobody else: an environment of their own, made for this test alone.
.venv-oracle/installed: tests/oracle/requirements.txt
	@echo "Installing PyTorch and transformers into .venv-oracle (once)"
	$(PYTHON) -m venv .venv-oracle
	.venv-oracle/bin/python -m pip install --quiet --requirement tests/oracle/requirements.txt
	@touch $@
