import { dateText } from "../../format/time.ts";
import type { Zone } from "../../format/time.ts";

/** "13 Nov" when it is another day than today, else empty. */
export function dayText(timeMs: number, nowMs: number, zone: Zone): string {
  const [day, today] = [timeMs, nowMs].map((ms) => dateText(ms, zone).split(" ").slice(0, 3));
  if (day?.join(" ") === today?.join(" ")) return "";
  return `${day?.[0]} ${day?.[1]}`;
}
