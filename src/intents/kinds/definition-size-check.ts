// Definitions that are too large to be checked and compiled in a reasonable time. What is counted
// takes a small part of that time, so this is checked first, and alone.

import { forbiddenField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { listAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { schemaSize } from "../../kernel/schema/schema-size.ts";

export function definitionSizeErrors(definition: JsonObject): readonly FieldError[] {
  const versions = listAt(definition, "spec", "versions");
  const size = schemaSize(versions);
  const counts: readonly (readonly [number, number, string])[] = [
    [versions.length, limits.maxDefinitionVersions, "versions"],
    [size.objects, limits.maxDefinitionObjects, "objects in all schemas together"],
    [size.ruleChars, limits.maxRuleChars, "characters in all rules together"],
    [size.regexSize, limits.maxDefinitionRegexSize, "instructions in all patterns together"],
  ];
  return counts
    .filter(([count, max]) => count > max)
    .map(([count, max, what]) =>
      forbiddenField("spec.versions", `must have at most ${max} ${what}, and has ${count}`),
    );
}
