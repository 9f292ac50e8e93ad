"""Lock the reference while a learner's function runs: an answer that calls the reference is no answer."""

import contextlib
import functools
import importlib
import pkgutil
import sys
import types

from helpers import reference


class ReferenceLockedError(Exception):
    """A learner's function called the reference."""


def _locked(*args, **kwargs):
    from helpers.checks.lock import ReferenceLockedError  # the code runs with the globals of the function that it locks

    raise ReferenceLockedError("the reference is locked while an answer is checked")


@contextlib.contextmanager
def reference_locked(styles=()):
    """Make every function of `helpers.reference`, and every given style, raise `ReferenceLockedError`.

    The code inside the functions is exchanged, so that `from helpers.reference.attention import softmax`
    in a notebook is locked too, under whatever name it is held.

    Parameters
    ----------
    styles : iterable of functions
        Right answers outside the reference.
    """
    _import_all_of(reference)  # a module that an answer imported only now would come unlocked
    everything = (*functions_of("helpers.reference."), *styles)
    functions = [function for function in everything if not function.__code__.co_freevars]
    codes = [function.__code__ for function in functions]
    for function in functions:
        function.__code__ = _locked.__code__
    try:
        yield
    finally:
        for function, code in zip(functions, codes, strict=True):
            function.__code__ = code


def functions_of(package):
    """Return every plain function that the loaded modules of a package define.

    Parameters
    ----------
    package : str
        With a dot at its end, such as `helpers.reference.`.

    Returns
    -------
    functions : list of functions
    """
    return [
        value
        for name, module in list(sys.modules.items())
        if name.startswith(package) and module is not None
        for value in vars(module).values()
        if isinstance(value, types.FunctionType) and value.__module__ == name
    ]


@functools.cache
def _import_all_of(package):
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
