import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clockText } from "../format/time.ts";
import { countText } from "../format/number.ts";
import { zone } from "../settings/settings.ts";
import { live } from "../stream/live.ts";
import "./live-status.css";

const readOutMs = 5_000;

/** Whether the page follows the server. It is read out every five seconds at most. */
export function LiveStatus() {
  const { kind, revision, sinceMs } = live.value;
  const spoken = useSignal("");
  const words = wordsOf(kind, sinceMs);
  useEffect(() => {
    const timer = setTimeout(() => {
      spoken.value = words;
    }, readOutMs);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <div class="live">
      <i class={`live-dot live-${kind}`} aria-hidden="true" />
      <span>
        {words}
        <br />
        <span class="wide-only">
          revision <span class="mono">{revision === 0 ? "…" : countText(revision)}</span>
        </span>
      </span>
      <span class="visually-hidden" aria-live="polite">
        {spoken.value}
      </span>
    </div>
  );
}

function wordsOf(kind: string, sinceMs: number | undefined): string {
  if (kind === "live") return "Live";
  if (kind === "connecting" || sinceMs === undefined) return "Connecting";
  return `Reconnecting, data from ${clockText(sinceMs, zone.value)}`;
}
