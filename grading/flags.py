"""List what an instructor should look at in a submission; nothing here costs or gives a point."""

import ast

from IPython.core.inputtransformer2 import TransformerManager

from grading.reading import is_unreadable
from grading.sandbox.submission import ANSWER, ORDINARY

UNREADABLE = "交来的文件不是完整的 notebook，读不出来，每道题都记 0 分。"
REFERENCE = "{exercise}：作答调用了参考实现（批改时它不在场），记 0 分。"
RECITED = "{exercise}：练习时的例子全对，批改的例子不对，像是背下了看得见的数值。"
STOPPED = "第 {number} 个单元格使运行中断：{reason}。"
GAVE_UP = "中断的次数太多，后面的单元格没有运行。"
SUSPICIOUS = "第 {number} 个单元格第 {line} 行出现 {what}，请看一眼。"
REASONS = {
    "too long": "超过时限",
    "died": "进程终止",
    "memory": "内存太多",
    "output": "输出太多",
    "forged": "破坏了与批改程序的通信",
}

# Of no use in a solution of this chapter: they look into the checks, or reach for files, processes and the network.
MODULES = frozenset(
    """
    asyncio atexit builtins code codeop ctypes dis faulthandler fcntl ftplib gc http imp importlib inspect io IPython
    marshal mmap multiprocessing nbformat nbgrader os pathlib pickle pip pkgutil platform posix pty requests resource
    runpy select shutil signal site socket sqlite3 subprocess sys sysconfig tempfile threading traceback types urllib
    weakref _thread
    """.split()  # noqa: SIM905 (a list literal would take 40 lines)
)
HELPERS = "helpers"  # a solution that needs the project's own code is none
CALLS = frozenset({"open", "exec", "eval", "compile", "__import__", "globals", "setattr", "get_ipython", "breakpoint"})
ATTRIBUTES = frozenset(
    """
    __builtins__ __code__ __closure__ __globals__ __subclasses__ _getframe f_back f_globals f_locals fromfile genfromtxt
    gi_frame load loadtxt memmap modules save savetxt settrace testing tofile
    """.split()  # noqa: SIM905
)
TEXTS = ("solutions", "gradebook", "grading_seed", "nbgrader_execution", "/proc", "autograded", "submitted")


def flags_of(nb, job, result):
    """Return a sentence for each thing to look at.

    Parameters
    ----------
    nb : NotebookNode
    job, result : dict

    Returns
    -------
    flags : list of str
    """
    tests = [test for test in result["tests"].values() if "missing" not in test]
    flags = [UNREADABLE] if is_unreadable(nb) else []
    flags += [REFERENCE.format(exercise=t["exercise_id"]) for t in tests if t["outcome"] == "reference called"]
    flags += [RECITED.format(exercise=test["exercise_id"]) for test in tests if test["recited"]]
    flags += [
        STOPPED.format(number=int(index) + 1, reason=REASONS[reason]) for index, reason in result["stopped"].items()
    ]
    flags += [GAVE_UP] if result["gave_up"] else []
    for cell in job["cells"]:
        if cell["kind"] in (ANSWER, ORDINARY):
            found = suspicious(nb.cells[cell["index"]].source, is_answer=cell["kind"] == ANSWER)
            flags += [SUSPICIOUS.format(number=cell["index"] + 1, line=line, what=what) for line, what in found]
    return flags


def suspicious(source, is_answer=True):
    """Return what in a cell has no place in a solution.

    Parameters
    ----------
    source : str
    is_answer : bool
        Whether it is the cell of an answer; elsewhere `helpers` is at home.

    Returns
    -------
    found : list of (line, text) pairs

    Examples
    --------
    >>> suspicious("from gc import collect; open('notes')")
    [(1, 'gc'), (1, 'open')]
    """
    try:
        tree = ast.parse(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it does not run either
        return []
    found = [(node.lineno, what) for node in ast.walk(tree) for what in _found_in(node, is_answer)]
    return sorted(dict.fromkeys(found))


def _found_in(node, is_answer):
    match node:
        case ast.Import(names):
            return [name.name for name in names if _is_listed(name.name, is_answer)]
        case ast.ImportFrom(module=str(module)):
            return [module] if _is_listed(module, is_answer) else []
        case ast.Call(ast.Name(name)) if name in CALLS:
            return [name]
        case ast.Attribute(attr=name) if name in ATTRIBUTES:
            return [name]
        case ast.Constant(str(text)):
            return [repr(listed) for listed in TEXTS if listed in text.lower()]
    return []


def _is_listed(module, is_answer):
    top = module.split(".")[0]
    return top in MODULES or (is_answer and top == HELPERS)
