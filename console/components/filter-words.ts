// The filter of a list as a text, `state:failed label:tier=gold web`, and as the query of the
// server, which applies it.

import { stateNamed } from "./palette-words.ts";

export interface ListFilter {
  readonly filter?: string;
  readonly labels?: string;
  readonly namespace?: string;
}

export interface Parsed {
  readonly query: ListFilter;
  /** What is wrong with the text. */
  readonly error?: string;
}

const comparison =
  /^(columns\.[\w-]+|name|namespace|created|generation|revision)(!=|>=|<=|=|<|>|~)(.*)$/;

export function parseFilter(text: string): Parsed {
  const conditions: string[] = [];
  const labels: string[] = [];
  let namespace: string | undefined;
  let error: string | undefined;
  for (const word of wordsOf(text)) {
    const [, key = "", value = ""] = /^(state|label|reason|ns):(.*)$/.exec(word) ?? [];
    const compared = comparison.exec(word);
    if (key === "state") {
      const state = stateNamed(value);
      if (state === undefined) error = `There is no state ${value || "without a name"}.`;
      else conditions.push(`state=${state}`);
    } else if (key === "label") labels.push(value);
    else if (key === "reason") conditions.push(`reason=${quoted(value)}`);
    else if (key === "ns") namespace = value;
    else if (compared !== null) {
      conditions.push(`${compared[1]}${compared[2]}${quoted(compared[3] ?? "")}`);
    } else conditions.push(`name~${quoted(word)}`);
  }
  const query = {
    ...(conditions.length === 0 ? {} : { filter: conditions.join(",") }),
    ...(labels.length === 0 ? {} : { labels: labels.join(",") }),
    ...(namespace === undefined || namespace === "" ? {} : { namespace }),
  };
  return { query, ...(error === undefined ? {} : { error }) };
}

/** The text with its `state:` replaced; undefined removes it. */
export function withState(text: string, state: string | undefined): string {
  const rest = wordsOf(text).filter((word) => !word.startsWith("state:"));
  return [...rest, ...(state === undefined ? [] : [`state:${state.toLowerCase()}`])].join(" ");
}

export function stateOf(text: string): string | undefined {
  const word = wordsOf(text).find((each) => each.startsWith("state:"));
  return word === undefined ? undefined : stateNamed(word.slice("state:".length));
}

function wordsOf(text: string): readonly string[] {
  return text.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
}

function quoted(value: string): string {
  const plain = value.replaceAll('"', "");
  return /[\s,"]/.test(plain) || value.startsWith('"') ? `"${plain}"` : plain;
}
