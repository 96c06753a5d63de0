"use strict";

const part = (name) => document.getElementById(name);
const data = document.body.dataset;
const STEPS = 1000; // positions of a slider
let state = {};

function say(text, bad) {
  part("said").textContent = text;
  part("said").className = bad ? "lost" : "";
}

async function act(action) {
  try {
    const answer = await fetch("/" + data.code + "/act", {
      method: "POST",
      headers: { Accept: "application/json", "Content-Type": "application/json" },
      body: JSON.stringify(action),
    });
    if (!answer.ok) say((await answer.json()).refused, true);
  } catch {
    say(data.lost, true);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-do]");
  if (!button) return;
  const action = { do: button.dataset.do };
  if (button.dataset.name) action.name = button.dataset.name;
  if (action.do === "pause") action.value = !state.paused;
  if (action.do === "answers") action.value = !(state.answers && state.answers.shown);
  act(action);
});

part("speed").addEventListener("change", () => act({ do: "speed", value: Number(part("speed").value) }));

// Brings a list of elements in line with rows of data by name, so that a button or slider in use is never replaced.
function match(list, rows, make, update) {
  const known = new Map([...list.children].map((child) => [child.dataset.row, child]));
  for (const row of rows) {
    let child = known.get(row.name);
    if (!child) {
      child = make(row);
      child.dataset.row = row.name;
      list.append(child);
    }
    known.delete(row.name);
    update(child, row);
  }
  for (const child of known.values()) child.remove();
}

function makeAction(row) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.do = "act";
  button.dataset.name = row.name;
  return button;
}

function updateAction(button, row) {
  button.textContent = row.label;
  button.title = row.help;
  button.disabled = !row.enabled;
}

let drags = 0;

// A drag is sent a few times per second, as one change that is undone at once. The value in words comes back.
function makeParameter(row) {
  const box = document.createElement("div");
  box.className = "parameter";
  const name = document.createElement("label");
  name.className = "name";
  name.append(document.createElement("span"), document.createElement("span"));
  const control = document.createElement(row.slides ? "input" : "select");
  control.id = "parameter-" + row.name;
  name.htmlFor = control.id;
  const ends = document.createElement("div");
  ends.className = "ends";
  ends.ariaHidden = "true";
  ends.append(document.createElement("span"), document.createElement("span"));
  const refused = document.createElement("p");
  refused.className = "refused";
  box.append(name, control, ends, refused);
  const value = () => (row.slides ? Number(control.value) / STEPS : control.value);
  const send = () => act({ do: "set", name: row.name, value: value(), drag: box.drag || 0 });
  if (row.slides) {
    control.type = "range";
    control.min = 0;
    control.max = STEPS;
    control.addEventListener("input", () => {
      if (!box.drag) box.drag = ++drags;
      if (!box.row.live || box.due) return;
      box.due = setTimeout(() => {
        box.due = 0;
        if (box.drag) send();
      }, 200);
    });
  }
  control.addEventListener("change", () => {
    if (!box.drag) box.drag = ++drags;
    send();
    box.drag = 0;
    box.still = Date.now() + 1000; // until the window has the value
  });
  return box;
}

function updateParameter(box, row) {
  box.row = row;
  const [label, shown] = box.querySelectorAll("label span");
  const [low, high] = box.querySelectorAll(".ends span");
  const control = box.querySelector("input, select");
  label.textContent = row.label;
  shown.textContent = row.shown;
  control.title = row.help;
  low.textContent = row.slides ? row.ends[0] : "";
  high.textContent = row.slides ? row.ends[1] : "";
  box.querySelector("p").textContent = row.refused;
  if (box.drag || Date.now() < (box.still || 0)) return;
  if (row.slides) {
    control.value = Math.round(STEPS * row.position);
    control.setAttribute("aria-valuetext", row.shown);
    return;
  }
  match(
    control,
    row.choices.map((choice) => ({ ...choice, name: choice.value })),
    () => document.createElement("option"),
    (option, choice) => {
      option.value = choice.value;
      option.textContent = choice.label;
    }
  );
  control.value = row.value;
}

function show(now) {
  state = now;
  const step = now.step;
  part("title").textContent = now.title;
  part("step").textContent = step ? step.number + " / " + step.count : "";
  part("elapsed").textContent = now.elapsed;
  part("heading").hidden = !step;
  part("heading").textContent = step ? step.title : "";
  part("following").textContent = step && step.next ? "→ " + step.next : "";
  part("steps").hidden = !step;
  part("back").disabled = !step || step.number <= 1;
  part("next").disabled = !step || step.number >= step.count;
  part("begin").hidden = !now.offered;
  part("phase").textContent = now.phase;
  part("clock").textContent = now.clock;
  part("pause").textContent = now.paused ? data.continue : data.pause;
  part("answers").hidden = !now.answers;
  if (now.answers) part("answers").textContent = (now.answers.shown ? data.hide : data.show) + " (" + now.answers.count + ")";
  part("notes-part").hidden = !now.notes;
  part("notes").textContent = now.notes;
  part("question").hidden = !now.question;
  if (now.question) {
    part("asked").textContent = now.question.text;
    part("yes").textContent = now.question.yes;
  }
  match(
    part("speed"),
    now.speeds.map((label, index) => ({ name: String(index), label })),
    () => document.createElement("option"),
    (option, row) => {
      option.value = row.name;
      option.textContent = row.label;
    }
  );
  if (document.activeElement !== part("speed")) part("speed").value = String(now.speed);
  part("actions-part").hidden = !now.actions.length;
  match(part("actions"), now.actions, makeAction, updateAction);
  part("parameters-part").hidden = !now.parameters.length;
  match(part("parameters"), now.parameters, makeParameter, updateParameter);
  say(now.said, now.bad);
}

// Why the server does not take this page any more, such as one with an earlier code; empty if no answer.
async function refusal() {
  try {
    const answer = await fetch("/" + data.code, { headers: { Accept: "application/json" } });
    return answer.ok ? "" : (await answer.json()).refused;
  } catch {
    return "";
  }
}

let wait = 1000;
function listen() {
  const events = new EventSource("/" + data.code + "/events");
  events.onmessage = (event) => {
    wait = 1000;
    const now = JSON.parse(event.data);
    if (now.speeds) show(now);
  };
  events.onerror = async () => {
    say(data.lost, true);
    if (events.readyState === EventSource.CLOSED) {
      say((await refusal()) || data.lost, true);
      setTimeout(listen, wait);
      wait = Math.min(2 * wait, 15000);
    }
  };
}
listen();

// The window draws pictures only while they are asked for: never faster than they arrive, and not in the background.
let address = "";
async function look() {
  if (!document.hidden) {
    try {
      const answer = await fetch("/" + data.code + "/picture");
      if (answer.status === 200) {
        const old = address;
        address = URL.createObjectURL(await answer.blob());
        part("picture").src = address;
        if (old) URL.revokeObjectURL(old);
      }
    } catch {
      // the connection is lost: the events say so
    }
  }
  setTimeout(look, 400);
}
look();
