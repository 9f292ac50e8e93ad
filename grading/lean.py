"""Import jsonschema, by which notebooks are checked, without a grammar that takes two seconds to build."""

import sys

GRAMMAR = "rfc3987_syntax"  # of international web addresses: no notebook's schema asks for them


def import_jsonschema():
    """Import jsonschema as it is where the package with that grammar is not installed."""
    if "jsonschema" in sys.modules or GRAMMAR in sys.modules:
        return
    sys.modules[GRAMMAR] = None
    try:
        import jsonschema  # noqa: F401
    finally:
        del sys.modules[GRAMMAR]
