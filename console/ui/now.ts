// The present, once a second while the page is visible. Each text that depends on it changes only
// when its words do.

import { signal } from "@preact/signals";

export const now = signal(Date.now());

const tickMs = 1_000;

export function startClock(): void {
  const tick = (): void => {
    if (!document.hidden) now.value = Date.now();
  };
  setInterval(tick, tickMs);
  document.addEventListener("visibilitychange", tick);
}
