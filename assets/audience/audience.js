"use strict";

const part = (name) => document.getElementById(name);
const code = document.body.dataset.code;
let shown = 0; // number of the question on the page

function text(value) {
  return value.toLocaleString(document.documentElement.lang, { useGrouping: false, maximumFractionDigits: 6 });
}

function withUnit(value) {
  const unit = part("unit").textContent;
  return text(value) + (unit === "°" ? unit : unit ? " " + unit : "");
}

function moved(value) {
  part("slider").value = value;
  part("slider").setAttribute("aria-valuetext", withUnit(Number(value)));
}

// A group of radio buttons; a disabled group of fields is neither sent nor checked.
function showChoices(question) {
  const chooses = question.choices.length > 0;
  for (const [name, used] of [["numbers", !chooses], ["choices", chooses]]) {
    part(name).hidden = part(name).disabled = !used;
  }
  part("buttons").replaceChildren(
    ...question.choices.map((choice) => {
      const label = document.createElement("label");
      const button = document.createElement("input");
      const words = document.createElement("span");
      button.type = "radio";
      button.name = "value";
      button.required = true;
      button.value = choice.value;
      button.checked = choice.value === question.value;
      words.textContent = choice.words;
      label.append(button, words);
      return label;
    })
  );
}

function shownAnswer(value) {
  const chosen = part("buttons").querySelector(`input[value="${Number(value)}"]`);
  return chosen ? chosen.parentElement.textContent : withUnit(value);
}

function show(question) {
  part("form").hidden = !question.open;
  part("said").className = "";
  if (question.number && question.number !== shown) {
    shown = question.number;
    latest += 1; // an answer to an earlier question is not tried again
    part("number").value = question.number;
    part("words").textContent = question.words;
    showChoices(question);
    part("unit").textContent = question.unit;
    for (const name of ["value", "slider"]) {
      part(name).min = question.low;
      part(name).max = question.high;
      part(name).step = Math.pow(10, -question.decimals);
    }
    part("low").textContent = withUnit(question.low);
    part("high").textContent = withUnit(question.high);
    part("slide").hidden = false;
    const given = question.value === null ? "" : question.value;
    part("value").value = given;
    if (!question.choices.length) moved(given === "" ? (question.low + question.high) / 2 : given);
  }
  const sent = question.open && question.value !== null;
  part("said").textContent = question.said + (sent ? " " + shownAnswer(question.value) : "");
}

part("slider").addEventListener("input", () => {
  part("value").value = part("slider").value;
  moved(part("slider").value);
});
part("value").addEventListener("input", () => {
  if (part("value").value !== "") moved(part("value").value);
});

let latest = 0; // number of the answer that is on its way, so that an older one is not tried again

// Tries until the server has it: a phone that loses the network for a while keeps its answer.
async function send(action, body, own) {
  const said = part("said");
  try {
    const answer = await fetch(action, { method: "POST", headers: { Accept: "application/json" }, body });
    const found = await answer.json();
    if (own !== latest) return;
    said.className = answer.ok ? "" : "lost";
    said.textContent = answer.ok ? found.said + " " + shownAnswer(found.value) : found.refused;
  } catch {
    if (own !== latest) return;
    said.className = "lost";
    said.textContent = document.body.dataset.lost;
    setTimeout(() => own === latest && send(action, body, own), 2000);
  }
}

part("form").addEventListener("submit", (event) => {
  event.preventDefault();
  send(part("form").action, new URLSearchParams(new FormData(part("form"))), ++latest);
});

// Why the server does not take this page any more, such as one with the code of an earlier server; empty if no answer.
async function refusal() {
  try {
    const answer = await fetch("/" + code, { headers: { Accept: "application/json" } });
    return answer.ok ? "" : (await answer.json()).refused;
  } catch {
    return "";
  }
}

let wait = 1000;
function listen() {
  const events = new EventSource("/" + code + "/events");
  events.onmessage = (event) => {
    wait = 1000;
    show(JSON.parse(event.data));
  };
  events.onerror = async () => {
    part("said").className = "lost";
    part("said").textContent = document.body.dataset.lost;
    if (events.readyState === EventSource.CLOSED) { // refused: the browser does not try again by itself
      part("said").textContent = (await refusal()) || document.body.dataset.lost;
      setTimeout(listen, wait);
      wait = Math.min(2 * wait, 15000);
    }
  };
}
listen();
