import { clockText, spanText } from "../format/time.ts";
import { plural } from "../format/number.ts";
import { zone } from "../settings/settings.ts";
import type { Tone } from "../states/states.ts";
import "./run-lane.css";

export interface Run {
  readonly startMs: number;
  readonly endMs: number;
  readonly tone: Tone;
  /** "reconcile, done, 84 ms" */
  readonly label: string;
}

interface RunLaneProps {
  readonly runs: readonly Run[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly label: string;
}

const width = 700;
const columns = 7;
const leastWidth = 5;

/** Runs on an axis of time. */
export function RunLane({ runs, fromMs, toMs, label }: RunLaneProps) {
  const length = Math.max(1, toMs - fromMs);
  const x = (timeMs: number): number =>
    Math.max(0, Math.min(width, ((timeMs - fromMs) / length) * width));
  const times = [0, 1 / 3, 2 / 3].map((share) => fromMs + share * length);
  const grid = Array.from({ length: columns + 1 }, (_, at) => `M${(at * width) / columns} 0V30`);
  return (
    <div class="lane">
      <svg
        viewBox={`0 0 ${width} 30`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${plural(runs.length, "run")} in ${spanText(length)}`}
      >
        <path class="chart-grid" d={`${grid.join("")}M0 30H${width}`} />
        {runs.map(({ startMs, endMs, tone, label: word }) => (
          <rect
            key={`${startMs} ${word}`}
            class={`lane-run t-${tone}`}
            x={x(startMs)}
            y={10}
            width={Math.max(leastWidth, x(endMs) - x(startMs))}
            height={8}
            rx={1}
          >
            <title>{`${clockText(startMs, zone.value)} ${word}`}</title>
          </rect>
        ))}
      </svg>
      <div class="chart-axis">
        {times.map((timeMs) => (
          <span key={timeMs}>{clockText(timeMs, zone.value, false)}</span>
        ))}
        <span>now</span>
      </div>
    </div>
  );
}
