import { useLayoutEffect, useRef } from "preact/hooks";
import "./tabs.css";

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly href: string;
  readonly count?: number | string | undefined;
}

/** Parts of a page as links: each has its URL. */
export function Tabs({ tabs, current, label }: TabsProps) {
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(
    () => showCurrent(row.current),
    [current, tabs.map(({ count = "" }) => count).join(" ")],
  );
  return (
    <nav ref={row} class="tabs" aria-label={label}>
      {tabs.map(({ id, label: word, href, count }) => (
        <a key={id} href={href} aria-current={id === current ? "page" : undefined}>
          {word} {count !== undefined && <span class="muted">{count}</span>}
        </a>
      ))}
    </nav>
  );
}

/** On a phone, the row is wider than the window. */
function showCurrent(row: HTMLElement | null): void {
  const tab = row?.querySelector<HTMLElement>("[aria-current]");
  if (row === null || tab === null || tab === undefined) return;
  const { offsetLeft, offsetWidth } = tab;
  row.scrollLeft = offsetLeft - row.offsetLeft - (row.clientWidth - offsetWidth) / 2;
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly label: string;
}
