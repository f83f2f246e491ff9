// The page of the simulated table: all seats at "/", one seat at "/seat/N".

import { Fingers } from "./fingers.js";
import { Games } from "./games.js";
import { listenToKeys } from "./keys.js";
import { fit, place } from "./layout.js";
import { Link } from "./link.js";
import { PodMenu } from "./pods.js";
import { SeatView } from "./seat.js";

const STATES = {
  connecting: "Connecting …",
  up: "",
  lost: "Connection lost – trying again …",
  other: "The table runs another version than this page: reload the page.",
};

const alone = location.pathname !== "/";
const table = document.getElementById("table");
const views = new Map();
const pods = new Map(); // the menus of the seats that have pods
let shown = "";
let chosen = Number(sessionStorage.getItem("seat"));

const fingers = new Fingers((seat, button, down) => {
  views.get(seat).showDown(button, down);
  link.send(`${down ? "press" : "release"} ${seat} ${button}`);
}, () => link.up);

const games = alone ? null : new Games(() => {
  fingers.releaseAll();
  views.get(chosen).element.focus({ preventScroll: true });
});

const link = new Link(`ws://${location.host}${alone ? location.pathname : ""}/socket`, {
  hello: build,
  frame(seat, lamp, pod, picture) {
    views.get(seat).draw(lamp, picture);
    pods.get(seat)?.show(pod);
  },
  ended: () => games?.ended(),
  state(name) {
    if (games) games.button.disabled = name !== "up";
    if (name === "up") games?.again();
    if (name !== "up") fingers.releaseAll();
    document.documentElement.dataset.link = name;
    document.getElementById("state").textContent = STATES[name];
    for (const view of views.values()) {
      for (const button of view.buttons.values()) button.disabled = name !== "up";
    }
  },
});

function build(seats) {
  const wanted = JSON.stringify(seats);
  if (wanted === shown) return;
  shown = wanted;
  fingers.releaseAll();
  for (const view of views.values()) view.element.remove();
  views.clear();
  pods.clear();
  for (const seat of seats) {
    const view = new SeatView(seat, fingers);
    view.element.addEventListener("focusin", () => choose(seat.seat));
    views.set(seat.seat, view);
    if (seat.pod) pods.set(seat.seat, new PodMenu(seat.seat, view.element, (text) => link.send(text)));
    table.append(view.element);
  }
  table.dataset.seats = seats.length;
  document.getElementById("last").textContent = Math.max(...views.keys());
  document.documentElement.dataset.view = alone ? "seat" : "table";
  if (alone) document.title = `Seat ${seats[0].seat} · Twenty-Two Table`;
  place([...table.querySelectorAll(".seat")]);
  fit(table);
  choose(views.has(chosen) ? chosen : seats[0].seat);
}

function choose(seat) {
  if (!views.has(seat)) return false;
  chosen = seat;
  sessionStorage.setItem("seat", seat);
  for (const view of views.values()) view.element.toggleAttribute("data-chosen", view.seat === seat);
  const element = views.get(seat).element;
  if (!element.contains(document.activeElement)) element.focus({ preventScroll: true });
  return true;
}

listenToKeys(fingers, () => chosen, choose);
addEventListener("resize", () => fit(table));
addEventListener("blur", () => fingers.releaseAll());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) fingers.releaseAll();
});
addEventListener("pagehide", () => {
  fingers.releaseAll();
  link.close();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) link.open();
});
link.open();
