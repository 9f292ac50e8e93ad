"""Take a section's closing picture out of its executed notebook, for the READMEs."""

import base64


def write_picture(notebook, section, into):
    """Write the notebook's last picture to `docs/pictures/<section>.png`.

    Parameters
    ----------
    notebook : NotebookNode
        Executed.
    section : Section
    into : Path
        The folder that `docs/` is made in.

    Raises
    ------
    ValueError
        If no cell shows a picture.
    """
    images = [
        output.data["image/png"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    if not images:
        raise ValueError(f"{section.lesson} shows no picture; a section ends with one that sums it up")
    path = into / section.picture
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(images[-1]))
