import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Tone } from "../states/states.ts";
import "./cause-banner.css";

interface CauseProps {
  readonly tone: Tone;
  /** The cause as a sentence. */
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** The answer of a page, before everything else. */
export function CauseBanner({ tone, title, children, actions }: CauseProps) {
  const id = useId();
  return (
    <section class={`cause t-${tone}`} aria-labelledby={id}>
      <div class="cause-text">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      {actions !== undefined && <div class="row">{actions}</div>}
    </section>
  );
}
