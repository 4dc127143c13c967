// The keys of a table: j and k or the arrows move, Enter opens, Space selects.

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly target: EventTarget | null;
}

export interface RowMove {
  readonly kind: "move" | "open" | "select";
  readonly row: number;
}

export function rowKeys(
  event: Key,
  { active, count }: { active: number; count: number },
): RowMove | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || count === 0) return undefined;
  const isRow = isRowTarget(event.target);
  const move = (row: number): RowMove => ({
    kind: "move",
    row: Math.max(0, Math.min(count - 1, row)),
  });
  switch (event.key) {
    case "j":
    case "ArrowDown":
      return isRow ? move(active + 1) : undefined;
    case "k":
    case "ArrowUp":
      return isRow ? move(active - 1) : undefined;
    case "Home":
      return isRow ? move(0) : undefined;
    case "End":
      return isRow ? move(count - 1) : undefined;
    case "Enter":
      return isRow && active >= 0 ? { kind: "open", row: active } : undefined;
    case " ":
      return isRow && active >= 0 ? { kind: "select", row: active } : undefined;
    default:
      return undefined;
  }
}

/** Keys inside a link, a field or a menu of the row belong to that. */
function isRowTarget(target: EventTarget | null): boolean {
  const name = (target as { readonly tagName?: string } | null)?.tagName;
  return name === "TR" || name === "DIV";
}
