// The finished games, over the table's page: their list, and the score and the record of the chosen one.

import { length, moment } from "./dates.js";

const NONE = "No game has ended yet. Each one will be here, with its score and its record.";
const UNREADABLE = "The games cannot be read at the moment.";
const PACKS = {
  pack: "Packs: one and the same each time",
  chance: "Packs: by this computer's chance",
};

export class Games {
  // `opened()` is called before the list covers the table. What has the focus then gets it back at the end.
  constructor(opened) {
    this.opened = opened;
    this.button = document.getElementById("open-games");
    this.dialog = document.getElementById("games");
    this.list = this.#find("#list");
    this.count = this.#find("#count");
    this.none = this.#find("#none");
    this.older = this.#find("#older");
    this.chosen = this.#find("#chosen");
    this.rows = new Map(); // a game's number -> its row
    this.asked = 0;
    this.button.addEventListener("click", () => this.open());
    this.older.addEventListener("click", () => this.#ask(Math.min(...this.rows.keys())));
    this.#find("#close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close(); // beside it
    });
    addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "g" || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      if (!this.button.disabled) this.open();
    });
  }

  open() {
    if (this.dialog.open) return;
    this.opened();
    this.#forget();
    this.dialog.showModal();
    this.#ask();
  }

  // Another game has ended.
  ended() {
    if (this.dialog.open) this.#ask();
  }

  // The server was away, and may be another one now.
  again() {
    if (!this.dialog.open) return;
    this.#forget();
    this.#ask();
  }

  #find(selector) {
    return this.dialog.querySelector(selector);
  }

  #forget() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.chosen.hidden = true;
    this.older.hidden = true;
    this.count.textContent = "";
    this.none.textContent = "";
    this.dialog.dataset.found = "nothing yet";
  }

  async #ask(before) {
    this.asked += 1;
    const asked = this.asked;
    let found;
    try {
      const answer = await fetch(before ? `/games.json?before=${before}` : "/games.json");
      if (!answer.ok) throw new Error(answer.statusText);
      found = await answer.json();
    } catch {
      found = null;
    }
    if (asked !== this.asked) return; // another answer is on its way
    if (found) this.#show(found, before);
    else if (!this.rows.size) this.none.textContent = UNREADABLE;
  }

  #show({ count, older, games }, before) {
    const first = this.rows.size === 0;
    const fresh = games.filter(({ game }) => !this.rows.has(game)).map((game) => this.#row(game));
    if (before) this.list.append(...fresh);
    else this.list.prepend(...fresh);
    if (first || before) this.older.hidden = !older;
    this.count.textContent = count ? `${count} ${count === 1 ? "game" : "games"}` : "";
    this.none.textContent = count ? "" : NONE;
    this.dialog.dataset.found = count ? "some" : "none";
    if (first && games.length) this.#choose(games[0], true);
    if (before && fresh.length) fresh[0].querySelector("input").focus();
  }

  #row(game) {
    const row = document.getElementById("game").content.firstElementChild.cloneNode(true);
    const winners = game.players.filter(({ won }) => won).map(({ name }) => name);
    const texts = {
      date: moment(game.began),
      players: game.players.map(({ name }) => name).join(", "),
      winner: game.finished ? winners.join(", ") : "given up",
      deals: game.deals,
      duration: length(game.seconds),
    };
    for (const [name, text] of Object.entries(texts)) row.querySelector(`.${name} span`).textContent = text;
    row.toggleAttribute("data-given-up", !game.finished);
    row.querySelector("input").addEventListener("change", () => this.#choose(game, false));
    this.rows.set(game.game, row);
    return row;
  }

  #choose(game, focus) {
    const input = this.rows.get(game.game).querySelector("input");
    input.checked = true;
    if (focus) input.focus();
    const points = game.players.map(({ name, points }) => `${name} ${points}`).join(", ");
    const chart = this.#find("#chart");
    chart.alt = `Points after each deal. At the end: ${points}.`;
    chart.src = `/games/${game.game}.svg`;
    const packs = PACKS[game.simulated] ?? `Packs: ${game.simulated}`;
    this.#find("#packs").textContent = game.seal ? `Seal ${game.seal}` : game.simulated ? packs : "";
    this.#find("#record").href = `/games/${game.game}.txt`;
    this.chosen.hidden = false;
  }
}
