import type { ComponentChildren } from "preact";
import "./tabs.css";

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly href: string;
  readonly count?: ComponentChildren;
}

/** Parts of a page as links: each has its URL. */
export function Tabs({ tabs, current, label }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ id, label: word, href, count }) => (
        <a key={id} href={href} aria-current={id === current ? "page" : undefined}>
          {word} {count !== undefined && <span class="muted">{count}</span>}
        </a>
      ))}
    </nav>
  );
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly label: string;
}
