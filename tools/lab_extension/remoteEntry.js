// An extension of JupyterLab, written as the file that a build would write: what cells show is readable on a phone and
// told by a screen reader. `make lab` and the site without a server load it.
(() => {
  // The picture of a widget has the same (NARROWEST in helpers/widgets/explorer.py): a narrower page scrolls it sideways.
  const NARROWEST = 500;

  function keepReadable(image) {
    const own = Number(image.getAttribute("width")) || image.naturalWidth; // never larger than it was meant
    image.style.minWidth = `${Math.min(own, NARROWEST)}px`;
  }

  // ipywidgets writes a slider's name beside it, and its value, and ties neither to it. What it says instead is the
  // position: of a logarithmic slider the exponent, of a choice its number.
  function tellNameAndValue(handle) {
    const slider = handle.closest(".widget-inline-hbox, .widget-inline-vbox");
    const name = slider?.querySelector(".widget-label")?.textContent;
    if (!name) return;
    handle.setAttribute("aria-label", name);
    const readout = slider.querySelector(".widget-readout");
    if (!readout) return;
    readout.setAttribute("role", "textbox");
    readout.setAttribute("aria-label", name);
    const tellValue = () => {
      const value = readout.textContent;
      if (handle.getAttribute("aria-valuetext") !== value) handle.setAttribute("aria-valuetext", value);
    };
    const changes = { subtree: true, childList: true, characterData: true, attributeFilter: ["aria-valuetext"] };
    new MutationObserver(tellValue).observe(slider, changes);
    tellValue();
  }

  // An explorer describes its picture in words beside it: the picture itself has nothing to add.
  function passOver(image) {
    if (image.closest(".widget-vbox")?.querySelector("[role=img][aria-label]")) image.alt = "";
  }

  function activate() {
    const pictures = ".jp-RenderedImage img";
    document.addEventListener("load", ({ target }) => target.matches?.(pictures) && keepReadable(target), true);
    const tellAll = () => {
      document.querySelectorAll(".noUi-handle:not([aria-label])").forEach(tellNameAndValue);
      document.querySelectorAll("img.widget-image:not([alt])").forEach(passOver);
    };
    new MutationObserver(tellAll).observe(document.body, { subtree: true, childList: true });
  }

  const plugin = { id: "readable-outputs:plugin", autoStart: true, activate };
  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB["readable-outputs"] = { init: () => {}, get: async () => () => plugin };
})();
