// Times as the console shows them: relative below 24 hours, else the date; one zone for text, axes
// and tooltips.

export type Zone = "local" | "UTC";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** "38 s", "12 min", "3 h", "9 d": one unit, rounded down. */
export function spanText(ms: number): string {
  const length = Math.max(0, ms);
  if (length < 1_000) return `${Math.round(length)} ms`;
  if (length < minuteMs) return `${Math.floor(length / 1_000)} s`;
  if (length < hourMs) return `${Math.floor(length / minuteMs)} min`;
  if (length < 2 * dayMs) return `${Math.floor(length / hourMs)} h`;
  return `${Math.floor(length / dayMs)} d`;
}

/** "3 h 12 min": two units, for a countdown. */
export function longSpanText(ms: number): string {
  const length = Math.max(0, ms);
  if (length < minuteMs) return `${Math.floor(length / 1_000)} s`;
  if (length < hourMs) {
    return `${Math.floor(length / minuteMs)} min ${Math.floor((length % minuteMs) / 1_000)} s`;
  }
  if (length < dayMs) {
    return `${Math.floor(length / hourMs)} h ${Math.floor((length % hourMs) / minuteMs)} min`;
  }
  return `${Math.floor(length / dayMs)} d ${Math.floor((length % dayMs) / hourMs)} h`;
}

/** "12 min ago", "in 38 s", or the date. */
export function timeText(timeMs: number, nowMs: number, zone: Zone): string {
  const ago = nowMs - timeMs;
  if (Math.abs(ago) >= dayMs) return dateText(timeMs, zone);
  if (Math.abs(ago) < 1_000) return "now";
  return ago > 0 ? `${spanText(ago)} ago` : `in ${spanText(-ago)}`;
}

/** "14 Nov 2026 16:49" */
export function dateText(timeMs: number, zone: Zone): string {
  const parts = partsOf(timeMs, zone, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
  return `${parts["day"]} ${parts["month"]} ${parts["year"]} ${parts["hour"]}:${parts["minute"]}`;
}

/** "16:49:10", or "16:49" on an axis. */
export function clockText(timeMs: number, zone: Zone, hasSeconds = true): string {
  const parts = partsOf(timeMs, zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const text = `${parts["hour"]}:${parts["minute"]}`;
  return hasSeconds ? `${text}:${parts["second"]}` : text;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(
  timeMs: number,
  zone: Zone,
  options: Intl.DateTimeFormatOptions,
): Readonly<Record<string, string>> {
  const key = zone + Object.keys(options).join(",");
  let format = formats.get(key);
  if (format === undefined) {
    const timeZone = zone === "UTC" ? { timeZone: "UTC" } : {};
    format = new Intl.DateTimeFormat("en-GB", { ...options, hourCycle: "h23", ...timeZone });
    formats.set(key, format);
  }
  return Object.fromEntries(
    format.formatToParts(timeMs).map(({ type, value }) => [type, value] as const),
  );
}
