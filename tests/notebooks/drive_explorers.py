"""Move every control of the explorers that a notebook has shown, as a front end's messages do; print what goes wrong.

`run_all.py` runs this file's text as one more cell, so it imports nothing of the project, whose tests the kernel lacks.
"""

NEED_NOT_FOLLOW = {"window", "reset"}  # of the mask painter: without a part in its first rule; nothing painted yet


def messages(control):
    """Return what a front end sends when a control goes to both ends (and, of a choice, to the middle)."""
    if hasattr(control, "on_click"):
        return [{"method": "custom", "content": {"event": "click"}}]
    if hasattr(control, "options"):
        states = [{"index": index} for index in (0, len(control.options) // 2, len(control.options) - 1)]
    elif isinstance(control.value, bool):
        states = [{"value": not control.value}, {"value": control.value}]
    elif isinstance(control.value, str):  # a text field
        states = [{"value": "风"}, {"value": ""}]
    else:
        power = getattr(control, "base", None)  # a slider over powers has exponents as its ends
        states = [{"value": power**end if power else end} for end in (control.min, control.max)]
    return [{"method": "update", "state": state, "buffer_paths": []} for state in states]


def complaints(explorer):
    """Yield what is wrong after each message: an error, or a picture that never follows a control."""
    for name, control in explorer.controls.items():
        shown = {bytes(explorer.image.value)}
        for message in messages(control):
            control._handle_msg({"content": {"data": message}, "buffers": []})
            shown.add(bytes(explorer.image.value))
            if explorer.error is not None:
                yield f"{name} at {message}: {explorer.error!r}"
        if len(shown) == 1 and name not in NEED_NOT_FOLLOW:
            yield f"{name}: the picture stays"


def drive(outputs):
    """Drive the explorers among a notebook's outputs and print the complaints, then how many explorers there were."""
    explorers = [output for output in outputs if type(output).__name__ == "Explorer"]
    for explorer in explorers:
        for complaint in complaints(explorer):
            print(f"{explorer.alt!r}: {complaint}")
    print(f"{len(explorers)} explorers driven")
