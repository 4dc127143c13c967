// A state as shape, colour and word; and many states as one bar.

import { countText } from "../format/number.ts";
import type { ResourceState } from "../api/types.ts";
import { Icon } from "../ui/icon.tsx";
import { lookOf, stateCounts } from "../states/states.ts";
import type { Look } from "../states/states.ts";
import "./state.css";

interface StateIconProps {
  readonly look: Look;
  /** As a label with a tint, in headings. */
  readonly isChip?: boolean;
  /** Only the shape; the word is its name for assistive technology. */
  readonly isBare?: boolean;
  readonly word?: string;
}

export function StateIcon({ look, isChip = false, isBare = false, word }: StateIconProps) {
  const text = word ?? look.word;
  return (
    <span class={`state t-${look.tone} ${isChip ? "state-chip" : ""}`}>
      <Icon name={look.tone} />
      <span class={isBare ? "visually-hidden" : ""}>{text}</span>
    </span>
  );
}

export function StateOf({ state }: { state: ResourceState }) {
  return <StateIcon look={lookOf(state)} />;
}

type States = Readonly<Partial<Record<ResourceState, number>>>;

interface StateBarProps {
  readonly states: States;
  readonly isSmall?: boolean;
}

/** The share of each state; few failures stay visible among many that are ready. */
export function StateBar({ states, isSmall = false }: StateBarProps) {
  const counts = stateCounts(states);
  const label = counts.map(({ count, word }) => `${countText(count)} ${word}`).join(", ");
  return (
    <div class={`state-bar ${isSmall ? "state-bar-small" : ""}`} role="img" aria-label={label}>
      {counts.map(({ state, tone, count }) => (
        <i key={state} class={`t-${tone} bar-${tone}`} style={{ flexGrow: count }} />
      ))}
    </div>
  );
}

interface LegendProps {
  readonly states: States;
  readonly hrefOf?: (state: ResourceState) => string;
  readonly current?: string | undefined;
}

export function StateLegend({ states, hrefOf, current }: LegendProps) {
  return (
    <ul class="legend" aria-label="Resources by state">
      {stateCounts(states).map((each) => {
        const content = (
          <>
            <StateIcon look={each} />
            <b>{countText(each.count)}</b>
          </>
        );
        const href = hrefOf?.(each.state);
        return (
          <li key={each.state}>
            {href === undefined ? (
              content
            ) : (
              <a href={href} aria-current={current === each.state ? "true" : undefined}>
                {content}
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
