"""Take every right answer out of this process: the reference's functions raise, and the catalogue is never loaded."""

import functools
import gc
import importlib
import pkgutil
import sys
import types
from pathlib import Path

import helpers
from helpers.checks.lock import ReferenceLockedError

# What notebooks, and IPython on their behalf, import first when they run.
ALSO_LOADED = ("matplotlib.pyplot", "matplotlib_inline.backend_inline", "urllib.request", "IPython.core.logger")
REFERENCE, WIDGETS, FIGURES = "helpers.reference", "helpers.widgets", "helpers.figures"
NOT_JUDGED_HERE = "（批改时，题目另行评判。）"


class NotJudgedHere:
    """What a learner's own call of `check`, `hint` or `progress` gives while a submission is graded."""

    id, title, outcome, slip = "", "", "not judged here", None
    points = max_points = 0.0
    rows = lines = behaviours = ()

    def __repr__(self):
        return NOT_JUDGED_HERE


def load_helpers():
    """Import what notebooks import, with a stand-in for `helpers.checks` that knows no exercise.

    Everything of `helpers.checks` but the catalogue, and what imports it, can still be imported by its own name.
    """
    checks = types.ModuleType("helpers.checks")
    checks.__path__ = [str(Path(folder, "checks")) for folder in helpers.__path__]
    checks.check = checks.hint = checks.progress = _not_judged_here
    checks.exercises = dict
    sys.modules["helpers.checks"] = helpers.checks = checks
    for name in ALSO_LOADED:
        importlib.import_module(name)
    for name in (REFERENCE, FIGURES, WIDGETS):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            importlib.import_module(module.name)


def _not_judged_here(*args, **kwargs):
    return NotJudgedHere()


def empty_reference():
    """Put a function that raises in the place of every function of the reference, wherever `helpers` holds it."""
    hollow = {}
    for module in _modules("helpers"):
        for name, value in list(vars(module).items()):
            if _is_function(value) and _home(value).startswith(f"{REFERENCE}."):
                setattr(module, name, hollow.setdefault(id(value), _locked(value)))
    for module in _modules(REFERENCE):
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__:
                _empty_class(value)
    gc.collect()


def _empty_class(cls):
    """Empty the methods and properties that a class of the reference defines; its data stays usable."""
    for name, value in list(vars(cls).items()):
        if isinstance(value, property) or (isinstance(value, types.FunctionType) and not name.startswith("_")):
            setattr(cls, name, _locked(value))


def quiet_figures(is_wanted):
    """Let the functions of figures and widgets return None unless `is_wanted()`: an untouched cell's are known."""
    for module in _modules("helpers"):
        for name, value in list(vars(module).items()):
            if isinstance(value, types.FunctionType) and name.startswith("draw_") and _home(value).startswith(FIGURES):
                setattr(module, name, _only_if(is_wanted, value))
            elif isinstance(value, types.FunctionType) and _home(value).startswith(WIDGETS):
                setattr(module, name, _not_judged_here)


def _only_if(is_wanted, function):
    @functools.wraps(function)
    def drawn_if_wanted(*args, **kwargs):
        return function(*args, **kwargs) if is_wanted() else None

    return drawn_if_wanted


def _locked(function):
    def locked(*args, **kwargs):
        raise ReferenceLockedError("the reference is not here while an answer is graded")

    locked.__name__ = getattr(function, "__name__", "locked")
    locked.__doc__ = function.__doc__
    return locked


def _is_function(value):
    return callable(value) and not isinstance(value, type)


def _home(value):
    return getattr(value, "__module__", None) or ""


def _modules(package):
    return [
        module
        for name, module in list(sys.modules.items())
        if module is not None and (name == package or name.startswith(f"{package}."))
    ]
