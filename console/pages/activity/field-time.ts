// Times in fields of the browser, which have no zone: "2026-11-14T14:41:00".

import type { Zone } from "../../format/time.ts";

export function fieldTime(time: string, zone: Zone): string {
  const timeMs = Date.parse(time);
  if (!Number.isFinite(timeMs)) return "";
  const offsetMs = zone === "UTC" ? 0 : new Date(timeMs).getTimezoneOffset() * 60_000;
  return new Date(timeMs - offsetMs).toISOString().slice(0, 19);
}

/** As the server reads it; empty for an empty field. */
export function timeOfField(text: string, zone: Zone): string {
  const timeMs = Date.parse(zone === "UTC" ? `${text}Z` : text);
  return Number.isFinite(timeMs) ? new Date(timeMs).toISOString() : "";
}
