// Dates and durations, as people write them.

// An ISO date and time in this browser's words and time zone; nothing of nothing.
export function moment(iso) {
  return iso && new Date(iso).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

export function length(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
