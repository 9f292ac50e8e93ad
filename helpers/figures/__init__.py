"""Arrays in, a `Picture` out: one function per figure, in one module per subject; call it as a cell's last line.

Every figure carries Chinese labels and an alternative text (`.alt`) that is computed from the arrays it shows.
"""
