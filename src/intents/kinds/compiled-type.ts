// One version of a kind, ready for documents: what it prunes, defaults and validates, and how
// documents of it are merged. Made once per version and used by every write.

import { objectType } from "../../kernel/apply/type-schema.ts";
import type { TypeNode } from "../../kernel/apply/type-schema.ts";
import { blockedRules, compileValidator } from "../../kernel/cel/validations.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { KindVersion } from "../../kernel/kind.ts";
import type { Resource } from "../../kernel/resource.ts";
import { compileSchema } from "../../kernel/schema/compile.ts";
import { applyDefaults } from "../../kernel/schema/defaults.ts";
import { embeddedProblems } from "../../kernel/schema/embedded.ts";
import { listTypeProblems } from "../../kernel/schema/list-types.ts";
import { coerceMetadata } from "../../kernel/schema/metadata.ts";
import { prune } from "../../kernel/schema/prune.ts";
import type { Schema } from "../../kernel/schema/schema.ts";
import { validateValue } from "../../kernel/schema/validate.ts";
import { badRequest } from "../refusals.ts";

export interface Known {
  readonly resource: Resource;
  /** The paths of fields that were taken out, sorted. */
  readonly unknown: readonly string[];
}

export interface CompiledType {
  readonly applyType: TypeNode;
  /** The document with known fields only; refused where a value has a type nobody can read. */
  prune(resource: Resource): Known;
  withDefaults(resource: Resource): Resource;
  /** With `old`, what was wrong already and has not changed is let pass. */
  validate(resource: Resource, old: Resource | undefined): readonly FieldError[];
}

/** The type of kinds that come from definitions: the schema says everything. */
export function compileType({ schema: json }: KindVersion): CompiledType {
  const schema = compileSchema(json);
  const runRules = compileValidator(schema);
  return {
    applyType: objectType(json),
    prune: (resource) => pruneDocument(schema, resource),
    withDefaults: (resource) => applyDefaults(schema, resource) as unknown as Resource,
    validate: (resource, old) => {
      const errors = validateValue(schema, resource, "", { old });
      const lists = listTypeProblems(schema, resource, "", { old });
      const embedded = embeddedProblems(schema, resource, "");
      const isGood = lists.length === 0 && embedded.length === 0;
      const found = isGood ? errors : [...errors, ...embedded, ...lists];
      if (runRules === undefined) return found;
      const blocked = blockedRules(found);
      return blocked === undefined ? [...found, ...runRules(resource, old)] : [...found, blocked];
    },
  };
}

export function pruneDocument(schema: Schema, resource: Resource): Known {
  const { value, unknown } = prune(schema, resource, { isRoot: true });
  const metadata = coerceMetadata(resource.metadata ?? {});
  if (metadata.problem !== undefined) throw badRequest(metadata.problem);
  const isSame = metadata.value === resource.metadata;
  const known = isSame ? value : { ...value, metadata: metadata.value };
  const all = metadata.unknown.length === 0 ? unknown : [...unknown, ...metadata.unknown].sort();
  return { resource: known as unknown as Resource, unknown: all };
}
