// The words of the palette: `kind:database state:failed web`.

import type { ResourceState } from "../api/types.ts";
import { stateOrder } from "../states/states.ts";

export interface Words {
  readonly name: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly state?: ResourceState;
}

export function parseWords(text: string): Words {
  const names: string[] = [];
  const found: { kind?: string; namespace?: string; state?: ResourceState } = {};
  for (const word of text.trim().split(/\s+/)) {
    const [, key = "", value = ""] = /^(kind|ns|state):(.*)$/.exec(word) ?? [];
    if (key === "kind" && value !== "") found.kind = value;
    else if (key === "ns" && value !== "") found.namespace = value;
    else if (key === "state") {
      const state = stateNamed(value);
      if (state !== undefined) found.state = state;
    } else if (key === "" && word !== "") names.push(word);
  }
  return { name: names.join(" "), ...found };
}

/** "failed" and "Failed" name the same state. */
export function stateNamed(word: string): ResourceState | undefined {
  const wanted = word.toLowerCase().replaceAll(/[-_]/g, "");
  return stateOrder.find((state) => state.toLowerCase() === wanted);
}
