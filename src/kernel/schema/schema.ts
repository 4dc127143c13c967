// A schema of a kind: the OpenAPI v3 dialect of a CustomResourceDefinition, as a tree of plain
// nodes. Everybody who walks a schema (pruning, defaulting, validation, CEL, apply) walks these
// nodes, so that the raw JSON is read in one place only. Every node has every field, because
// nodes of one shape are what makes the walks of the hot write path fast.

import type { Json } from "../json.ts";

export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

export interface Schema {
  /** Empty when the schema names none: int-or-string, unknown content, value validations. */
  readonly type: SchemaType | "";
  readonly nullable: boolean;
  /** Never null: Kubernetes takes a null default for none. */
  readonly default: Json | undefined;
  /** True iff applying this schema to a value can add a default at or below it. */
  readonly addsDefaults: boolean;
  /** True iff the value is or holds a list that is a set or a map. */
  readonly hasKeyedLists: boolean;
  /** True iff the value is or holds an embedded resource. */
  readonly hasEmbedded: boolean;
  /** True iff there is a rule in CEL at or below it. */
  readonly hasRules: boolean;

  // Structure
  /** A map, because a field may be called "__proto__". Empty when there are none. */
  readonly properties: ReadonlyMap<string, Schema>;
  readonly additionalProperties: Schema | boolean | undefined;
  readonly items: Schema | undefined;

  // Kubernetes extensions
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: "granular" | "atomic" | undefined;
  readonly validations: readonly ValidationRule[];

  // Value validations
  readonly format: string;
  readonly pattern: string;
  readonly enum: readonly Json[];
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  /** Lengths are counted in characters (code points), not in bytes. */
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly required: readonly string[];

  // Junctors: their schemas hold value validations only, and may have properties and items.
  /** True iff there is any of them. */
  readonly hasJunctors: boolean;
  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not: Schema | undefined;
}

/** One entry of x-kubernetes-validations; empty strings stand for what is not given. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}
