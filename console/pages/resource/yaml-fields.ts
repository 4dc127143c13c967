// Where the fields of a document are in its text. Errors of the server name fields, and the editor
// shows them at their lines.

import { LineCounter, isMap, parseDocument } from "yaml";
import type { Document, ParsedNode } from "yaml";

export interface Spot {
  readonly from: number;
  readonly to: number;
  /** From 1. */
  readonly line: number;
}

export type Path = readonly (string | number)[];

export interface ParsedText {
  readonly value: unknown;
  readonly problems: readonly (Spot & { readonly message: string })[];
  readonly spotOf: (path: Path) => Spot;
}

export function parseText(text: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "silent" });
  const spot = (from: number, to: number): Spot => ({
    from,
    to: Math.max(from, Math.min(to, text.length)),
    line: lines.linePos(from).line,
  });
  return {
    value: document.errors.length === 0 ? document.toJS() : undefined,
    problems: document.errors.map(({ message, pos }) => ({
      message: message.split("\n")[0] ?? message,
      ...spot(pos[0], pos[1]),
    })),
    spotOf: (path) => nearestSpot(document, path, spot),
  };
}

/** The field itself, or the part above it when the field is missing. */
function nearestSpot(
  document: Document<ParsedNode>,
  path: Path,
  spot: (from: number, to: number) => Spot,
): Spot {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const name = path[depth - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => String(key) === String(name));
      const range = (pair?.key as ParsedNode | undefined)?.range;
      if (range) return spot(range[0], range[1]);
    } else {
      const found = document.getIn(path.slice(0, depth), true) as ParsedNode | undefined;
      if (found?.range) return spot(found.range[0], found.range[1]);
    }
  }
  return spot(0, 0);
}

/** "spec.containers[0].image" as the names of a path; quoted names may contain dots. */
export function fieldPath(field: string): Path {
  const parts: (string | number)[] = [];
  const pattern = /\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\[([^\]]+)\]|([^.[\]]+)/g;
  for (const [, index, quoted, bare, name] of field.matchAll(pattern)) {
    if (index !== undefined) parts.push(Number(index));
    else parts.push(quoted ?? bare ?? name ?? "");
  }
  return parts;
}
