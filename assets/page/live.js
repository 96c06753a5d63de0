// The live view of a run in a notebook: the page of the run in a frame of its own, with the sliders and actions below.
// The page asks for nothing but its next frame; what it shows comes from the kernel. Module of anywidget.

function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

function render({ model, el }) {
  const frame = element("iframe", { sandbox: "allow-scripts", title: model.get("title") });
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 0`;
  frame.srcdoc = model.get("document");
  const sliders = element("div"), buttons = element("div"), said = element("p", { role: "status" });
  sliders.style.cssText = buttons.style.cssText = "display: flex; flex-wrap: wrap; gap: .6em; margin: .4em 0";
  el.replaceChildren(frame, buttons, sliders, said);
  let running = false, waiting = false;
  const ask = (wish) => { waiting = true; model.send(wish); };
  const more = () => { if (running && !waiting) ask({ do: "more" }); };

  // From the page: that it can draw, run or pause, and that a frame is drawn. Its own first frame is that of the
  // creation of the widget, which may be shown again after the run has gone on.
  const listen = ({ source, data }) => {
    if (source !== frame.contentWindow || !data) return;
    if (typeof data.run === "boolean") running = data.run;
    if (data.ready) ask({ do: "look" });
    else more();
  };
  const answered = (content, buffers) => {
    waiting = false;
    said.textContent = content.said;
    const bytes = buffers[0];
    const whole = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    if (content.ended && running) frame.contentWindow.postMessage({ pause: true }, "*");
    running = running && !content.ended;
    frame.contentWindow.postMessage(whole, "*", [whole]);
  };

  // A slider that is being moved keeps its place.
  const rows = new Map();
  const showControls = () => {
    for (const { name, label, position, shown } of model.get("controls")) {
      if (!rows.has(name)) {
        const slider = element("input", { type: "range", min: 0, max: 1, step: "any", "aria-label": label, change: () => ask({ do: "set", name, value: +slider.value }) });
        const value = element("span");
        rows.set(name, { slider, value });
        sliders.append(element("label", {}, `${label} `, slider, " ", value));
      }
      const { slider, value } = rows.get(name);
      if (slider !== slider.getRootNode().activeElement) slider.value = position;
      slider.setAttribute("aria-valuetext", shown);
      value.textContent = shown;
    }
  };
  const showActions = () => {
    buttons.replaceChildren(...model.get("actions").map(({ name, label, enabled }) => {
      const button = element("button", { type: "button", click: () => ask({ do: "act", name }) }, label);
      button.disabled = !enabled;
      return button;
    }));
  };
  // Another view or a cell may have changed the run meanwhile.
  const look = () => { if (!running && !waiting) ask({ do: "look" }); };
  el.addEventListener("pointerenter", look);
  window.addEventListener("message", listen);
  model.on("msg:custom", answered);
  model.on("change:controls", showControls);
  model.on("change:actions", showActions);
  showControls();
  showActions();
  return () => {
    el.removeEventListener("pointerenter", look);
    window.removeEventListener("message", listen);
    model.off("msg:custom", answered);
    model.off("change:controls", showControls);
    model.off("change:actions", showActions);
  };
}

export default { render };
