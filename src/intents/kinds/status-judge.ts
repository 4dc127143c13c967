// The status of a resource by itself, for those who write nothing else: what its schema does not
// know is taken out, and what is wrong is said. What was wrong before and has not changed is let
// pass, as everywhere. The rest of the document is not looked at, whatever its size.

import { compileValidator } from "../../kernel/cel/validations.ts";
import type { Validator } from "../../kernel/cel/validations.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { listTypeProblems } from "../../kernel/schema/list-types.ts";
import { prune } from "../../kernel/schema/prune.ts";
import type { Schema } from "../../kernel/schema/schema.ts";
import { validateValue } from "../../kernel/schema/validate.ts";

export type StatusJudge = (resource: Resource, old: Resource | undefined) => JudgedStatus;

export interface JudgedStatus {
  readonly status: Json;
  readonly errors: readonly FieldError[];
  /** The paths of fields that were taken out, without "status". */
  readonly unknown: readonly string[];
}

/** `runRules` are the rules in CEL of the whole document: those of the status may refer to it. */
export function statusJudge(schema: Schema, runRules: Validator | undefined): StatusJudge {
  const part = schema.properties.get("status");
  if (part === undefined) {
    return (resource) => ({ status: getOwn(resource, "status") ?? null, errors: [], unknown: [] });
  }
  const hasRules = runRules !== undefined && compileValidator(part) !== undefined;
  return (resource, old) => {
    const given = getOwn(resource, "status") ?? null;
    const before = old === undefined ? undefined : getOwn(old, "status");
    const { value: status, unknown } = isJsonObject(given)
      ? prune(part, given, { isRoot: false })
      : { value: given, unknown: [] };
    const errors = [
      ...validateValue(part, status, "status", { old: before }),
      ...listTypeProblems(part, status, "status", { old: before }),
    ];
    if (!hasRules || errors.length > 0) return { status, errors, unknown };
    const broken = runRules({ ...resource, status }, old);
    return { status, errors: broken.filter(({ path }) => isInStatus(path)), unknown };
  };
}

function isInStatus(field: string): boolean {
  return /^status(?:[.[]|$)/.test(field);
}
