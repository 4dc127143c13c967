import { useId } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { amountText, measureOf } from "../format/number.ts";
import { clockText } from "../format/time.ts";
import { zone } from "../settings/settings.ts";
import { chartLines, chartTop } from "./chart-lines.ts";
import "./time-chart.css";

export interface TimeChartProps {
  readonly title: string;
  readonly unit: string;
  /** Oldest first; null where nothing was measured. */
  readonly values: readonly (number | null)[];
  readonly fromMs: number;
  readonly stepMs: number;
  readonly threshold?: { readonly value: number; readonly label: string };
}

const width = 480;
const height = 64;
const columns = 6;

/** One line from zero, its threshold, its last value as text, and the same as a table. */
export function TimeChart({ title, unit, values, fromMs, stepMs, threshold }: TimeChartProps) {
  const id = useId();
  const isTable = useSignal(false);
  const last = values.findLast((value) => value !== null) ?? undefined;
  const top = chartTop(values, threshold?.value);
  const y = (value: number): number => height - (value / top) * height;
  const [amount, ownUnit] = last === undefined ? ["–", ""] : measureOf(last, unit);
  const shown = last === undefined ? "no data" : `${amount} ${ownUnit}`;
  const times = [0, 0.5, 1].map(
    (share) => fromMs + share * Math.max(0, values.length - 1) * stepMs,
  );
  return (
    <figure class="chart" aria-labelledby={id}>
      <div class="row">
        <h3 id={id} class="chart-title">
          {title}
        </h3>
        <button
          type="button"
          class="chart-switch end"
          aria-pressed={isTable.value}
          onClick={() => {
            isTable.value = !isTable.value;
          }}
        >
          {threshold !== undefined && !isTable.value && <span>{threshold.label}</span>}
          <span class="link">{isTable.value ? "Chart" : "Table"}</span>
        </button>
      </div>
      <div class="chart-value">
        {amount} <span>{ownUnit}</span>
      </div>
      {isTable.value ? (
        <ValueTable {...{ values, fromMs, stepMs, unit, title }} />
      ) : (
        <>
          <svg
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${title}: ${shown}`}
          >
            <path class="chart-grid" d={gridLines()} />
            {threshold !== undefined && (
              <path class="chart-threshold" d={`M0 ${y(threshold.value)}H${width}`} />
            )}
            {chartLines(values, { width, y }).map((d) => (
              <path key={d} class="chart-line" d={d} />
            ))}
          </svg>
          <div class="chart-axis">
            {times.map((timeMs, at) => (
              <span key={at}>{clockText(timeMs, zone.value, false)}</span>
            ))}
          </div>
        </>
      )}
    </figure>
  );
}

function gridLines(): string {
  const upright = Array.from(
    { length: columns + 1 },
    (_, at) => `M${(at * width) / columns} 0V${height}`,
  );
  return `${upright.join("")}M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}`;
}

const tableRows = 12;

function ValueTable({ values, fromMs, stepMs, unit, title }: TimeChartProps) {
  const every = Math.max(1, Math.ceil(values.length / tableRows));
  const rows = values
    .map((value, at) => ({ value, timeMs: fromMs + at * stepMs }))
    .filter((_, at) => (values.length - 1 - at) % every === 0);
  return (
    <table class="chart-table">
      <caption class="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col" class="right">
            {unit}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ value, timeMs }) => (
          <tr key={timeMs}>
            <td>{clockText(timeMs, zone.value)}</td>
            <td class="right">{value === null ? "–" : amountText(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
