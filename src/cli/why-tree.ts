// An explanation as lines for people: one sentence, and below it the tree of what holds what.
import type { Json, JsonObject } from "../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../kernel/json-read.ts";
import { plainText } from "./plain-text.ts";

/** Deeper than the server answers; a bound for answers of others. */
const deepest = 64;

export function whyLines(explanation: Json): readonly string[] {
  const resource = objectAt(explanation, "resource");
  const home = textAt(resource, "namespace");
  return [
    plainText(textAt(explanation, "summary")),
    ...textsAt(resource, "details").map((detail) => `  ${plainText(detail)}`),
    ...blockerLines(resource, home, "", 0),
  ];
}

function blockerLines(
  resource: JsonObject,
  home: string,
  indent: string,
  depth: number,
): readonly string[] {
  const blockers = depth > deepest ? [] : objectsAt(resource, "blockers");
  const more = numberAt(resource, "moreBlockers") ?? 0;
  const lines: string[] = [];
  for (const [index, blocker] of blockers.entries()) {
    const isLast = index === blockers.length - 1 && more === 0;
    const below = `${indent}${isLast ? "   " : "│  "}`;
    lines.push(`${indent}${isLast ? "└─" : "├─"} ${titleOf(blocker, home)}`);
    for (const detail of textsAt(blocker, "details")) {
      lines.push(`${below}  ${plainText(detail)}`);
    }
    lines.push(...blockerLines(blocker, home, below, depth + 1));
  }
  if (more > 0) lines.push(`${indent}└─ and ${more} more, not shown`);
  return lines;
}

function titleOf(resource: JsonObject, home: string): string {
  const namespace = textAt(resource, "namespace");
  const place = namespace === "" || namespace === home ? "" : ` in ${namespace}`;
  const role = textAt(resource, "relation") === "Owns" ? " (owned)" : "";
  const name = `${textAt(resource, "kind")}/${textAt(resource, "name")}`;
  return plainText(`${name}${place}${role}: ${textAt(resource, "message")}`);
}
