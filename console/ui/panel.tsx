import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./panel.css";

interface PanelProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  /** At the right of the title: a link or a button. */
  readonly side?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** With space around the content; tables have none. */
  readonly isPadded?: boolean;
}

export function Panel({ title, note, side, children, isPadded = false }: PanelProps) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span class="muted small">{note}</span>}
        {side !== undefined && <span class="end">{side}</span>}
      </header>
      {isPadded ? <div class="panel-body">{children}</div> : children}
    </section>
  );
}

/** Names with their values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
