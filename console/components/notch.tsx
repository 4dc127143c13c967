import "./notch.css";

interface NotchProps {
  readonly label: string;
  readonly seen: number;
  readonly wanted: number;
  /** The end of the scale; by default a little more than the larger value. */
  readonly most?: number;
  /** "1 seen, 3 wanted" */
  readonly text: string;
}

/** What was seen as a bar, and what is wanted as a notch on the same scale. */
export function Notch({ label, seen, wanted, most, text }: NotchProps) {
  const end = most ?? Math.max(seen, wanted, 1) * (seen === wanted ? 1.25 : 1.15);
  const share = (value: number): string => `${Math.min(100, Math.max(0, (value / end) * 100))}%`;
  const isMet = seen === wanted;
  return (
    <div class="notch">
      <div class="notch-words">
        <span>{label}</span>
        <span class="muted">{text}</span>
      </div>
      <div
        class={`notch-scale ${isMet ? "t-ready" : "t-waiting"}`}
        role="meter"
        aria-label={label}
        aria-valuetext={text}
        aria-valuenow={Math.min(seen, end)}
        aria-valuemin={0}
        aria-valuemax={end}
      >
        <b style={{ width: share(seen) }} />
        <i style={{ left: share(wanted) }} />
      </div>
    </div>
  );
}
