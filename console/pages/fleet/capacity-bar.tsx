import { shortUseText, toneOfUse, useText } from "./capacity.ts";
import type { Use } from "./capacity.ts";

interface CapacityBarProps extends Use {
  readonly label: string;
  /** In a table: the label is for assistive technology alone. */
  readonly isCell?: boolean;
}

/** How much of a place is used. Full and nearly full have a colour, and the text says it. */
export function CapacityBar({ label, used, total, isCell = false }: CapacityBarProps) {
  const text = useText({ used, total });
  const tone = toneOfUse({ used, total });
  const share = total === undefined ? 0 : Math.min(100, (used / Math.max(total, 1)) * 100);
  return (
    <div class={`capacity ${isCell ? "capacity-cell" : ""}`}>
      {!isCell && <span class="capacity-label">{label}</span>}
      <span class="muted small nowrap">
        {isCell ? shortUseText({ used, total }) : text}
        {tone === "failed" && <b class="t-failed"> Full</b>}
      </span>
      <div
        class={`capacity-scale t-${tone}`}
        role="meter"
        aria-label={label}
        aria-valuetext={text}
        aria-valuemin={0}
        aria-valuemax={Math.max(total ?? used, 1)}
        aria-valuenow={Math.min(used, Math.max(total ?? used, 1))}
      >
        <b style={{ width: `${share}%` }} />
      </div>
    </div>
  );
}
