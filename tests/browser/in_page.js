// What the tests ask of a notebook that JupyterLab shows: handed to every page before its own scripts, as window.reader.
window.reader = (() => {
  const CONTROL =
    ".noUi-handle, select, input[type=checkbox], .widget-text input, button.widget-button, button.widget-toggle-button";
  const notebook = () => window.jupyterapp.shell.currentWidget;
  const cells = () => notebook().content.widgets;
  const outputsOf = (cell) => cell.outputArea?.model.toJSON() ?? [];

  // A menu entry that runs cells asks for a kernel as long as there is none.
  function ready() {
    const context = window.jupyterapp?.shell.currentWidget?.sessionContext;
    const kernel = context?.isReady ? context.session?.kernel : null;
    return kernel?.connectionStatus === "connected" && kernel.status === "idle";
  }

  async function shutDown() {
    await notebook().sessionContext.shutdown();
  }

  // Resolve when the kernel has done everything that was sent before, and its answers have arrived.
  async function kernelAnswers() {
    await notebook().sessionContext.session.kernel.requestKernelInfo();
  }

  // The cells that show a widget. JupyterLab keeps cells out of the page while they are out of sight.
  function explorers() {
    const isWidget = (output) => output.data?.["application/vnd.jupyter.widget-view+json"];
    return cells().flatMap((cell, place) => (outputsOf(cell).some(isWidget) ? [place] : []));
  }

  async function show(place) {
    notebook().content.activeCellIndex = place;
    await notebook().content.scrollToItem(place, "center");
    cells()[place].node.dataset.place = place;
  }

  function valueOf(control) {
    if (control.matches(".noUi-handle")) return control.closest(".noUi-target").noUiSlider.get();
    if (control.matches("select")) return control.selectedOptions[0].text;
    if (control.matches("[type=checkbox]")) return control.checked;
    if (control.matches("input")) return control.value;
    return control.matches(".widget-toggle-button") ? control.classList.contains("mod-active") : null;
  }

  // The label of a slider, dropdown or text field stands beside it, a checkbox's behind it, a button's on it.
  function nameOf(control) {
    const row = control.closest(".widget-inline-hbox, .widget-checkbox, button");
    return row.innerText.split("\n").map((line) => line.replace("\u200b", "").trim()).find(Boolean);
  }

  function kindOf(control) {
    if (control.matches(".noUi-handle")) return "slider";
    if (control.matches("select")) return "dropdown";
    if (control.matches(".widget-text input")) return "text";
    return control.matches("input, .widget-toggle-button") ? "toggle" : "button";
  }

  const outputNode = (place) => cells()[place].outputArea.node;
  const controlsOf = (place) => [...outputNode(place).querySelectorAll(CONTROL)];

  // How many values a control has, as far as the page knows: a slider has two ends, and more between them,
  // a text field is empty or not.
  function sizeOf(control) {
    return { slider: 2, dropdown: control.options?.length, toggle: 2, text: 2, button: 1 }[kindOf(control)];
  }

  function controls(place) {
    return controlsOf(place).map((control, number) => ({
      number, name: nameOf(control), kind: kindOf(control), size: sizeOf(control),
    }));
  }

  function source(place) {
    return cells()[place].model.sharedModel.source;
  }

  function focus(place, number) {
    controlsOf(place)[number].focus();
  }

  // Null while the picture is being exchanged for the next one, and for one that cannot be shown.
  async function fingerprint(image) {
    try {
      await image.decode();
      const bytes = await (await fetch(image.src)).arrayBuffer();
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      return [...digest.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    } catch {
      return null;
    }
  }

  async function state(place) {
    const node = outputNode(place);
    const images = [...node.querySelectorAll("img")].filter((image) => image.getClientRects().length);
    return {
      values: controlsOf(place).map(valueOf),
      pictures: await Promise.all(images.map(fingerprint)),
      outputs: node.querySelectorAll(".jp-OutputArea-child").length,
      alarm: node.querySelector("[role=alert]")?.innerText ?? null,
      text: node.innerText,
      overflow: node.scrollWidth - node.clientWidth,
    };
  }

  // What every cell raised or wrote to stderr.
  function complaints() {
    const isBad = (output) => output.output_type === "error" || output.name === "stderr";
    return cells().flatMap((cell, place) =>
      outputsOf(cell).filter(isBad).map((output) => `cell ${place}: ${output.evalue ?? output.text}`),
    );
  }

  function drawn(character, font) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 48;
    const context = canvas.getContext("2d");
    context.font = font;
    context.fillText(character, 8, 32);
    return canvas.toDataURL();
  }

  // The characters that no installed font has: drawn like one that nobody has (the last of the private ones).
  function undrawn(place, characters) {
    const font = `24px ${getComputedStyle(outputNode(place).querySelector(".widget-label, button, label")).fontFamily}`;
    const missing = drawn("\u{10FFFD}", font);
    return [...new Set(characters)].filter((character) => character.trim() && drawn(character, font) === missing);
  }

  // As a phone shows it: the notebook alone.
  function hideSidebars() {
    window.jupyterapp.shell.collapseLeft();
    window.jupyterapp.shell.collapseRight();
  }

  // JupyterLab takes cells out of the page while they are out of sight; here all are to be measured.
  function showAll() {
    const { content } = notebook();
    content.notebookConfig = { ...content.notebookConfig, windowingMode: "none" };
  }

  const allShown = () => cells().every((cell) => cell.node.isConnected && !cell.isPlaceholder());

  const isNarrow = () => notebook().content.node.getBoundingClientRect().right <= window.innerWidth;

  const describe = (node) => `${node.tagName.toLowerCase()} ${node.innerText?.trim().slice(0, 30) ?? ""}`;

  // What of a cell lies beyond the notebook's right edge: a control there at all, anything else if it cannot be
  // scrolled into sight. And the labels that are cut off.
  function beyondTheEdge(place) {
    const cell = cells()[place].node;
    const edge = notebook().content.node.getBoundingClientRect().right + 1;
    const right = (node) => (node.getClientRects().length ? node.getBoundingClientRect().right : 0);
    const scrolls = (node) => {
      if (node === cell) return false;
      const overflow = getComputedStyle(node).overflowX;
      if (overflow === "visible" || right(node) > edge) return scrolls(node.parentElement);
      return ["auto", "scroll"].includes(overflow);
    };
    const rowOf = (control) => control.closest(".widget-inline-hbox, .widget-checkbox, button");
    const rows = [...cell.querySelectorAll(CONTROL)].map(rowOf).filter(Boolean);
    const seen = [...cell.querySelectorAll("*:not(mjx-assistive-mml *)")]; // without what MathJax tells screen readers
    const lost = seen.filter((node) => right(node) > edge && !scrolls(node.parentElement));
    const labels = [...cell.querySelectorAll(".widget-label, .widget-label-basic, button.jupyter-button")];
    const cut = labels.filter((label) => label.scrollWidth > label.clientWidth + 1);
    return [...rows.filter((row) => right(row) > edge), ...lost, ...cut].map(describe);
  }

  function allBeyondTheEdge() {
    return cells().flatMap((_, place) => beyondTheEdge(place).map((what) => `cell ${place} on a phone: ${what}`));
  }

  // Milliseconds from the next key press to the first frame with the picture that follows; asked for by pictureShown.
  let shown;
  function awaitPicture(place) {
    const image = outputNode(place).querySelector("img.widget-image");
    const once = { once: true, capture: true };
    shown = new Promise((resolve) => {
      const pressed = (event) =>
        image.addEventListener(
          "load",
          () => requestAnimationFrame(() => resolve(performance.now() - event.timeStamp)),
          once,
        );
      window.addEventListener("keydown", pressed, once);
    });
  }

  async function pictureShown() {
    return await shown;
  }

  return {
    ready, shutDown, kernelAnswers, explorers, show, source, controls, focus, state, complaints, undrawn,
    hideSidebars, showAll, allShown, isNarrow, allBeyondTheEdge, awaitPicture, pictureShown,
  };
})();
