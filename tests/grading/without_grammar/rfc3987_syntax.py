"""Stands before the package of this name, which builds a grammar at every start, for seconds, and offers nothing.

It belongs to jsonschema's formats of international web addresses, for which no notebook's schema asks.
"""
