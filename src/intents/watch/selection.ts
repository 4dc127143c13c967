// What a list or a watch selects: a kind, perhaps a namespace, a name, labels and fields. A list
// asks the store; a watch judges each change by the same rules, and an update that moves a
// resource in or out of the selection is told as its coming or going.

import type { ResourceKey } from "../../kernel/resource.ts";
import type { Requirement } from "../../kernel/selector.ts";
import { termMatcher } from "../../kernel/term-matcher.ts";
import type { Change, FieldRequirement } from "../../store/port.ts";
import type { WatchEvent } from "./watch-hub.ts";

export interface Selection {
  /** The store's name of the kind. */
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly labels: readonly Requirement[];
  readonly fields: readonly FieldRequirement[];
  /** Names and namespaces that are not wanted. */
  readonly excluded: readonly { readonly part: "name" | "namespace"; readonly value: string }[];
  /** A selection that nothing can meet, such as two different names. */
  readonly isEmpty: boolean;
}

/** Whether the key alone is within the selection. */
export function selectsKey(
  { kind, namespace, name, excluded, isEmpty }: Selection,
  key: ResourceKey,
): boolean {
  if (isEmpty || key.kind !== kind) return false;
  if (namespace !== undefined && key.namespace !== namespace) return false;
  if (name !== undefined && key.name !== name) return false;
  return excluded.every(({ part, value }) => key[part] !== value);
}

export function changeSelector(selection: Selection): (change: Change) => WatchEvent | undefined {
  const matches = termMatcher(selection);
  return (change) => {
    if (!selectsKey(selection, change.key)) return undefined;
    const is = matches === undefined || matches(change.terms);
    switch (change.type) {
      case "created":
        return is ? { type: "ADDED", change, isLeaving: false } : undefined;
      case "deleted": {
        // A deletion shows the last state, which is judged by the terms before it.
        const was = matches === undefined || matches(change.previousTerms ?? change.terms);
        return was ? { type: "DELETED", change, isLeaving: false } : undefined;
      }
      case "updated": {
        if (matches === undefined) return { type: "MODIFIED", change, isLeaving: false };
        const was = matches(change.previousTerms ?? change.terms);
        if (is) return { type: was ? "MODIFIED" : "ADDED", change, isLeaving: false };
        return was ? { type: "DELETED", change, isLeaving: true } : undefined;
      }
      default:
        return change.type satisfies never;
    }
  };
}
