// Where the seats are, clockwise as seen from above beginning at the near side, and how large their pixels are.

const PLACES = [
  [],
  ["near"],
  ["near", "far"],
  ["near", "left", "right"],
  ["near", "left", "far", "right"],
  ["near", "near-left", "far-left", "far-right", "near-right"],
  ["near", "near-left", "far-left", "far", "far-right", "near-right"],
];
const SMALLEST_ROUND = 1.5; // CSS pixels a panel pixel: below that the seats are listed instead
const LARGEST = 8;
const LARGEST_LISTED = 3;

export function place(elements) {
  elements.forEach((element, index) => {
    element.dataset.place = PLACES[elements.length][index];
  });
}

// Choose the largest pixel that fits, in whole pixels of the display, so that every one is equally large.
export function fit(table) {
  const root = document.documentElement;
  const ratio = devicePixelRatio || 1;
  const fits = (layout, pixels) => {
    root.dataset.layout = layout;
    root.style.setProperty("--pixel", `${pixels / ratio}px`);
    root.style.setProperty("--hair", `${pixels < 3 ? 0 : 1 / ratio}px`);
    const wide = root.scrollWidth <= root.clientWidth;
    return wide && (layout === "list" || root.scrollHeight <= root.clientHeight);
  };
  const seats = table.querySelectorAll(".seat").length;
  const across = innerWidth / (seats > 2 ? 3 : 1) / 128;
  const down = innerHeight / (seats > 1 ? 2 : 1) / 64;
  const most = Math.floor(Math.min(LARGEST, across, down) * ratio); // more than that cannot fit
  for (let pixels = most; pixels >= SMALLEST_ROUND * ratio; pixels -= 1) {
    if (fits("round", pixels) || fits("round tight", pixels)) return;
  }
  for (let pixels = Math.floor(LARGEST_LISTED * ratio); pixels > 1; pixels -= 1) {
    if (fits("list", pixels)) return;
  }
}
