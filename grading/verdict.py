"""Put the result of a job into the notebook: a test cell's points come from its report, and from nothing else."""

from nbformat import from_dict, v4

from grading.sandbox.submission import TEST, UNTOUCHED

STOPPED = "单元格没有运行完"
STOPPED_KEY = "stopped_while_grading"  # in a cell's metadata: no exception of a learner's can claim it
RERUN = "其余单元格已在新的进程里重新运行。"
REASONS = {
    "too long": "这个单元格 {seconds:g} 秒还没有运行完，已被叫停（循环能结束吗？）。" + RERUN,
    "died": "这个单元格让 Python 进程终止了（例如 os._exit、内存用尽）。" + RERUN,
    "memory": "这个单元格用的内存太多，已被叫停。" + RERUN,
    "output": "这个单元格的输出太多，已被叫停。" + RERUN,
    "forged": "这个单元格破坏了批改程序的通信，已被叫停。" + RERUN,
}
NOT_RUN = "前面有 {count} 个单元格先后使运行中断，批改到此为止，这个单元格没有运行。"
NOT_JUDGED = "没有得到评判"
NOT_DEFINED = "要评判的函数没有定义：定义它的单元格没有运行成功（见那里的错误），或已被删去。这道题记 0 分。"
NOT_A_FUNCTION = "要评判的名字不是函数（{name}）：它是否被改作他用了？这道题记 0 分。"


def show_result(nb, job, result, release_outputs):
    """Give every code cell its outputs.

    Parameters
    ----------
    nb : NotebookNode
        The notebook that the job was made from; changed in place.
    job, result : dict
    release_outputs : dict of str to list
        The outputs of the released notebook's code cells, by their text.
    """
    for count, described in enumerate(job["cells"], start=1):
        cell, index = nb.cells[described["index"]], str(described["index"])
        cell.execution_count = None
        if index in result["stopped"]:
            _show_stop(cell, REASONS[result["stopped"][index]].format(seconds=job["limits"]["cell_seconds"]))
        elif index in result["tests"]:
            cell.outputs = [_test_output(result["tests"][index], count)]
        elif index in result["outputs"]:
            is_untouched = described["kind"] == UNTOUCHED
            cell.outputs = release_outputs.get(cell.source, []) if is_untouched else from_dict(result["outputs"][index])
            cell.execution_count = count
        elif described["kind"] == TEST or result["gave_up"]:
            _show_stop(cell, NOT_RUN.format(count=len(result["stopped"])))


def _test_output(test, count):
    """Return the one output that decides the points of a test cell."""
    if "missing" in test:
        name = test["missing"]
        sentence = NOT_DEFINED if name == "NameError" else NOT_A_FUNCTION.format(name=name)
        return v4.new_output("error", ename=NOT_JUDGED, evalue=sentence, traceback=[sentence])
    data = {"text/html": test["html"], "text/plain": test["text"]}
    return v4.new_output("execute_result", data=data, execution_count=count)


def _show_stop(cell, sentence):
    cell.outputs = [v4.new_output("error", ename=STOPPED, evalue=sentence, traceback=[sentence])]
    cell.metadata[STOPPED_KEY] = True
