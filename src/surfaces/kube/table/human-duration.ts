// Ages as Kubernetes clients show them: two or three significant figures, coarser the older. The
// steps are those of kube-apiserver, since people and scripts compare the two.

const minute = 60;
const hour = 60 * minute;
const day = 24;
const year = 365 * day;

/** The age of an RFC 3339 time; `<unknown>` when there is none, `<invalid>` when it is no time. */
export function ageOf(timestamp: string | undefined, nowMs: number): string {
  if (timestamp === undefined || timestamp === "" || timestamp === "null") return "<unknown>";
  const at = timeMs(timestamp);
  if (at === undefined) return "<invalid>";
  return at === zeroTimeMs ? "<unknown>" : humanDuration(nowMs - at);
}

export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  // Clocks differ a little, so that something may seem to be made in the next second.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * minute) return `${seconds}s`;
  const minutes = Math.trunc(seconds / minute);
  if (minutes < 10) return withRest(minutes, "m", seconds % minute, "s");
  if (minutes < 3 * 60) return `${minutes}m`;
  const hours = Math.trunc(seconds / hour);
  if (hours < 8) return withRest(hours, "h", minutes % 60, "m");
  if (hours < 2 * day) return `${hours}h`;
  const days = Math.trunc(hours / day);
  if (hours < 8 * day) return withRest(days, "d", hours % day, "h");
  if (hours < 2 * year) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (hours < 8 * year) return withRest(years, "y", days % 365, "d");
  return `${years}y`;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const zeroTimeMs = Date.parse("0001-01-01T00:00:00Z");

/** Milliseconds since 1970 of an RFC 3339 text, or undefined. */
function timeMs(text: string): number | undefined {
  if (!rfc3339.test(text)) return undefined;
  const ms = Date.parse(text.replace(",", "."));
  return Number.isNaN(ms) ? undefined : ms;
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}
