// The text of one file as a value: JSON or YAML, whatever the file is called, with or without a
// byte order mark, and as others write it: merge keys are followed, repeated keys and numbers too
// large to be exact are let pass. What is not text for us is said in one sentence, with its cause.

import { SetpointError } from "../../../kernel/errors.ts";
import { jsonProblem } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import { connectLimits } from "../limits.ts";
import { parseYaml } from "../../../kernel/yaml.ts";

export interface ParsedText {
  readonly value: Json;
  /** Such as keys that are given twice. */
  readonly oddities: readonly string[];
}

/** Throws request.invalid or request.too_large. */
export function parseText(text: string): ParsedText {
  const bare = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (/^\s*[{[]/.test(bare)) {
    const json = asJson(bare);
    if (json !== undefined) return { value: json, oddities: [] };
  }
  const { value, duplicates } = parseYaml(bare, {
    maxChars: connectLimits.maxFileBytes,
    maxAliases: connectLimits.maxAliases,
    isLenient: true,
  });
  return { value, oddities: duplicates };
}

function asJson(text: string): Json | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    // It may be YAML in the flow style, or JSON with comments, which YAML forgives.
    return undefined;
  }
  const problem = jsonProblem(value, limits.maxJsonDepth);
  if (problem !== undefined) throw new SetpointError("request.invalid", problem);
  return value;
}
