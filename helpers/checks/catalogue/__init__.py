"""All exercises of the chapter: one package per section, one module per exercise, each with a constant `EXERCISE`."""

import functools
import importlib
import pkgutil
from types import MappingProxyType


@functools.cache
def exercises():
    """Return all exercises by id: a mapping to objects with `.points`, `.reference`, `.slips`, `.styles`.

    Returns
    -------
    exercises : mapping of str to Exercise
        Within a section in the order of the lesson.

    Examples
    --------
    >>> exercises()["attention.softmax"].points
    2
    """
    sections = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return MappingProxyType({exercise.id: exercise for section in sections for exercise in section.EXERCISES})
