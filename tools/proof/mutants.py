"""Make every mechanical mutant of a reference function: one operator, constant, comparison, argument or line each.

The operators are those of the field's mutation tools (Jia and Harman 2011, table 3), on Python's own syntax tree.
"""

import ast
import inspect
import textwrap
from collections import Counter
from dataclasses import dataclass

OPERATORS = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
MOST_TURNS = 10_000  # of all loops of one call together; the references need less than a thousand
NAMES = {"max": "min", "min": "max", "sum": "max", "mean": "sum", "zeros": "ones", "ones": "zeros", "argmax": "argmin"}


@dataclass(frozen=True)
class Mutant:
    """A changed reference: what was changed, as `old -> new`, and the function that results."""

    change: str
    function: object


def mutants(function):
    """Return every mutant of a plain function, in the order of its source.

    Parameters
    ----------
    function : function

    Returns
    -------
    mutants : list of Mutant
        Equal changes at several places are told apart by ` #2`, ` #3` and so on. A loop that would never end raises
        after `MOST_TURNS` turns.

    Examples
    --------
    >>> from helpers.reference.attention import score_std
    >>> [mutant.change for mutant in mutants(score_std)][-2:]
    ['d_k * q_variance * k_variance -> d_k * q_variance / k_variance', 'd_k * q_variance -> d_k / q_variance']
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    if ast.get_docstring(definition) is not None:
        del definition.body[0]
    seen = Counter()
    found = []
    for change, source in _mutated_sources(tree, definition):
        seen[change] += 1
        numbered = change if seen[change] == 1 else f"{change} #{seen[change]}"
        found.append(Mutant(numbered, _compiled(source, function)))
    return found


def _compiled(source, function):
    namespace = dict(function.__globals__)
    exec(compile(_with_an_end(source), f"<mutant of {function.__name__}>", "exec"), namespace)
    return namespace[function.__name__]


def _with_an_end(source):
    """Return the tree of a function whose loops share a number of turns and raise `StopIteration` after the last."""
    tree = ast.parse(source)
    definition = tree.body[0]
    for node in ast.walk(definition):
        if isinstance(node, ast.For | ast.While):
            node.body[:0] = ast.parse("next(turns_left)").body
    definition.body[:0] = ast.parse(f"turns_left = iter(range({MOST_TURNS}))").body
    return ast.fix_missing_locations(tree)


def _mutated_sources(tree, definition):
    """Yield (change, source) for every place of the tree, changing it and putting it back."""
    for parent in ast.walk(definition):
        for name, value in ast.iter_fields(parent):
            places = enumerate(value) if isinstance(value, list) else [(None, value)]
            for position, node in list(places):
                if not isinstance(node, ast.AST):
                    continue
                for new in _replacements(node, parent):
                    change = f"{_text(node, parent)} -> {_text(new, parent)}"
                    _put(parent, name, position, new)
                    try:
                        source = ast.unparse(ast.fix_missing_locations(tree))
                        if isinstance(node, ast.operator | ast.cmpop | ast.boolop):
                            change = f"{_with(parent, name, position, node)} -> {_with(parent, name, position, new)}"
                        yield change, source
                    finally:
                        _put(parent, name, position, node)


def _put(parent, name, position, node):
    if position is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[position] = node


def _with(parent, name, position, node):
    _put(parent, name, position, node)
    return ast.unparse(parent)


def _text(node, parent):
    if isinstance(node, ast.operator | ast.cmpop | ast.boolop):
        return type(node).__name__
    if isinstance(node, ast.Pass):
        return "(dropped)"
    return ast.unparse(node).split("\n")[0]


def _replacements(node, parent):
    """Yield what may stand in a node's place."""
    if type(node) in OPERATORS:
        yield from (new() for new in OPERATORS[type(node)])
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.For | ast.If):
        yield ast.Pass()
    elif isinstance(node, ast.Constant):
        yield from _constants(node.value)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            yield from _constants(-node.operand.value)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Mult):
        yield ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.Tuple) and isinstance(parent, ast.Return):
        yield ast.Tuple([*node.elts[1:], node.elts[0]], ast.Load())
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)


def _constants(value):
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        yield ast.Constant(value - 1)
    elif isinstance(value, float):
        yield ast.Constant(2 * value if value else 1.0)


def _calls(node):
    if node.args and not isinstance(node.args[0], ast.GeneratorExp | ast.Starred):
        yield node.args[0]  # the call dropped
    elif isinstance(node.func, ast.Attribute) and not node.args:
        yield node.func.value  # the method dropped
    for first in range(len(node.args) - 1):
        swapped = list(node.args)
        swapped[first], swapped[first + 1] = swapped[first + 1], swapped[first]
        yield ast.Call(node.func, swapped, node.keywords)
    for keyword in node.keywords:
        yield ast.Call(node.func, node.args, [other for other in node.keywords if other is not keyword])
    if isinstance(node.func, ast.Attribute) and node.func.attr in NAMES:
        yield ast.Call(ast.Attribute(node.func.value, NAMES[node.func.attr], ast.Load()), node.args, node.keywords)
