"""What every notebook run by this project adds to nbclient: mix `WithoutWidgetComms` into a NotebookClient."""


class WithoutWidgetComms:
    """Leave widgets to the kernel, instead of playing their browser.

    nbclient's stand-in for a browser sends on the shell socket while it waits for the same cell. Under load the reply
    is sometimes never seen, and the cell hangs until its timeout. Nothing here needs the stand-in: no cell reads what
    an Output widget caught.
    """

    def on_comm_open_jupyter_widget(self, msg):
        """Answer a widget that opens its channel with nothing."""
        return
