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

function show(question) {
  part("form").hidden = !question.open;
  part("said").className = "";
  if (question.number && question.number !== shown) {
    shown = question.number;
    part("number").value = question.number;
    part("words").textContent = question.words;
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
    moved(given === "" ? (question.low + question.high) / 2 : given);
    if (given === "") part("said").textContent = question.said;
  }
  if (!question.open || question.value === null) part("said").textContent = question.said;
}

part("slider").addEventListener("input", () => {
  part("value").value = part("slider").value;
  moved(part("slider").value);
});
part("value").addEventListener("input", () => {
  if (part("value").value !== "") moved(part("value").value);
});

async function send(form, tries) {
  const said = part("said");
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
    });
    const found = await answer.json();
    said.className = answer.ok ? "" : "lost";
    said.textContent = answer.ok ? found.said + " " + withUnit(found.value) : found.refused;
  } catch {
    if (tries > 0) {
      setTimeout(() => send(form, tries - 1), 1500);
      return;
    }
    said.className = "lost";
    said.textContent = document.body.dataset.lost;
  }
}

part("form").addEventListener("submit", (event) => {
  event.preventDefault();
  send(part("form"), 3);
});

let wait = 1000;
function listen() {
  const events = new EventSource("/" + code + "/events");
  events.onmessage = (event) => {
    wait = 1000;
    show(JSON.parse(event.data));
  };
  events.onerror = () => {
    part("said").className = "lost";
    part("said").textContent = document.body.dataset.lost;
    if (events.readyState === EventSource.CLOSED) { // refused: the browser does not try again by itself
      setTimeout(listen, wait);
      wait = Math.min(2 * wait, 15000);
    }
  };
}
listen();
