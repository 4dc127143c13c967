// How long until the planned destruction.

import { longSpanText, spanText } from "../../format/time.ts";
import { now } from "../../ui/now.ts";

interface CountdownProps {
  readonly at: string | undefined;
  readonly isShort?: boolean;
}

const soonMs = 2 * 3_600_000;

export function Countdown({ at, isShort = false }: CountdownProps) {
  if (at === undefined) return <span class="muted">–</span>;
  const left = Date.parse(at) - now.value;
  const text = left <= 0 ? "now" : isShort ? spanText(left) : longSpanText(left);
  return (
    <time dateTime={at} title={at} class={left < soonMs ? "t-waiting strong" : ""}>
      {text}
    </time>
  );
}
