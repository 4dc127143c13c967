// YAML 1.2 in and out, by the one library for it. A document becomes plain JSON values; anchors
// may not blow it up, and what JSON cannot hold is refused.

import { parseDocument, stringify } from "yaml";
import type { YAMLParseError } from "yaml";
import { SetpointError } from "./errors.ts";
import { jsonProblem } from "./json.ts";
import type { Json } from "./json.ts";
import { limits } from "./limits.ts";

export interface ParsedYaml {
  readonly value: Json;
  /** As in `key "a" already set in map`, each with its line. */
  readonly duplicates: readonly string[];
}

export function parseYaml(text: string): ParsedYaml {
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false });
  const [problem] = document.errors;
  if (problem !== undefined) throw unreadable(inWordsOfGo(problem));
  const strict = parseDocument(text, { uniqueKeys: true, prettyErrors: true });
  const duplicates = strict.errors
    .filter(({ code }) => code === "DUPLICATE_KEY")
    .map(({ linePos, pos: [start] }) => {
      const key = /^["']?([^:"'\n]*)/.exec(text.slice(start, start + 200))?.[1]?.trim() ?? "";
      return `line ${linePos?.[0].line ?? 0}: key ${JSON.stringify(key)} already set in map`;
    });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: limits.maxYamlAliases });
  } catch (cause) {
    throw unreadable(cause instanceof Error ? cause.message : "it cannot be read", cause);
  }
  const depth = jsonProblem(value, limits.maxJsonDepth);
  if (depth !== undefined) throw unreadable(depth);
  return { value: value as Json, duplicates };
}

/** Sorted, and quoted so that readers of YAML 1.1 see the same values, as Go writes it. */
export function formatYaml(value: Json): string {
  return stringify(value, {
    version: "1.1",
    lineWidth: 0,
    aliasDuplicateObjects: false,
    sortMapEntries: true,
    indentSeq: false,
  });
}

/** The commonest problems as Kubernetes words them; clients print these. */
function inWordsOfGo({ code, message }: YAMLParseError): string {
  switch (code) {
    case "BLOCK_AS_IMPLICIT_KEY":
      return "mapping values are not allowed in this context";
    case "TAB_AS_INDENT":
      return "found character that cannot start any token";
    case "BAD_INDENT":
      return "did not find expected key";
    default:
      return message;
  }
}

function unreadable(why: string, cause?: unknown): SetpointError {
  return new SetpointError("request.invalid", `yaml: ${why}`, { cause });
}
