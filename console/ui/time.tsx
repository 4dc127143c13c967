import { useComputed } from "@preact/signals";
import { dateText, timeText } from "../format/time.ts";
import { zone } from "../settings/settings.ts";
import { now } from "./now.ts";

interface TimeProps {
  /** As the server writes it. */
  readonly at: string | undefined;
  /** The date even when it is recent. */
  readonly isAbsolute?: boolean;
}

/** An instant: relative below a day, with the exact time as its title. */
export function Time({ at, isAbsolute = false }: TimeProps) {
  const timeMs = at === undefined ? Number.NaN : Date.parse(at);
  const text = useComputed(() =>
    isAbsolute ? dateText(timeMs, zone.value) : timeText(timeMs, now.value, zone.value),
  );
  if (!Number.isFinite(timeMs)) return <span class="muted">unknown</span>;
  const iso = new Date(timeMs).toISOString();
  return (
    <time dateTime={iso} title={iso} class="nowrap">
      {text.value}
    </time>
  );
}
