// A Kind is the type of a resource: its names, scope, versions, schema and field rules. Kinds come
// from TypeScript, from a CustomResourceDefinition or from an OpenAPI document, and all three end
// here, in one checked and frozen object. Nothing after `defineKind` has to ask whether it is
// sound.

import { assert } from "./assert.ts";
import { kindProblems } from "./kind-check.ts";
import { SetpointError } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import { parsePointer } from "./pointer.ts";
import type { Tokens } from "./pointer.ts";

export interface KindNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface KindVersion {
  readonly name: string;
  readonly served: boolean;
  /** True for exactly one version: the one documents are stored in. */
  readonly storage: boolean;
  readonly schema: JsonObject;
  /** Paths such as ".spec.color" that field selectors and the index may use. */
  readonly selectableFields: readonly string[];
  readonly printerColumns: readonly PrinterColumn[];
  readonly subresources: Subresources;
  /** Present iff the version is deprecated; sent to whoever uses it. */
  readonly deprecationWarning?: string;
}

export interface Subresources {
  readonly status: boolean;
  readonly scale?: ScalePaths;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 are shown only in wide output. */
  readonly priority?: number;
}

/** read-only: never set by users. create-only: fixed once created. write-only: never returned.
 *  secret: sealed before it reaches a disk, and never shown. sealed: the same, but shown. */
export type FieldRuleName = "read-only" | "create-only" | "write-only" | "secret" | "sealed";

export interface FieldRule {
  /** A JSON Pointer in which `*` stands for every key or element, as in "/spec/*". */
  readonly path: string;
  readonly rule: FieldRuleName;
}

export interface CompiledFieldRule extends FieldRule {
  readonly segments: Tokens;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface Kind {
  /** Empty for the core group. */
  readonly group: string;
  readonly names: KindNames;
  readonly scope: "Namespaced" | "Cluster";
  readonly versions: readonly KindVersion[];
  readonly fieldRules: readonly CompiledFieldRule[];
  /** Built-in kinds also take strategic merge patches and protobuf. */
  readonly origin: "built-in" | "definition";
}

type VersionInput = Pick<KindVersion, "name" | "served" | "storage" | "schema"> &
  Partial<KindVersion>;

export interface KindInput {
  readonly group: string;
  readonly names: Pick<KindNames, "plural" | "kind"> & Partial<KindNames>;
  readonly scope: Kind["scope"];
  readonly versions: readonly VersionInput[];
  readonly fieldRules?: readonly FieldRule[];
  readonly origin?: Kind["origin"];
  /** Of all versions that name none themselves. */
  readonly subresources?: Subresources;
}

/** The input is copied, so that its author can change it afterwards. */
export function defineKind(input: KindInput): Kind {
  return deepFreeze(structuredClone(kindOf(input)));
}

/** Without a copy, because a schema can be large: for an input that nothing changes. */
export function kindOf(input: KindInput): Kind {
  const { group, names, scope, versions, fieldRules = [], origin = "definition" } = input;
  const subresources = input.subresources ?? { status: false };
  const whole = {
    group,
    names: {
      singular: names.kind.toLowerCase(),
      listKind: `${names.kind}List`,
      shortNames: [],
      categories: [],
      ...names,
    },
    scope,
    versions: versions.map((version) => wholeVersion(version, subresources)),
    fieldRules,
    origin,
  };
  const problems = kindProblems(whole);
  if (problems.length > 0) {
    const message = `the kind ${kindId(whole)} is invalid: ${problems.join("; ")}`;
    throw new SetpointError("resource.invalid", message, { details: { problems: [...problems] } });
  }
  return { ...whole, fieldRules: fieldRules.map(compiledRule) };
}

/** The version documents are stored in. */
export function storageVersion(kind: Pick<Kind, "versions">): KindVersion {
  const found = kind.versions.find((version) => version.storage);
  assert(found !== undefined, "a kind has a storage version");
  return found;
}

/** "widgets.example.dev", or "configmaps" in the core group. */
export function kindId(kind: KindIdentity): string {
  return kind.group === "" ? kind.names.plural : `${kind.names.plural}.${kind.group}`;
}

interface KindIdentity {
  readonly group: string;
  readonly names: Pick<KindNames, "plural">;
}

/** "example.dev/v1", or "v1" in the core group. */
export function apiVersionOf(kind: Pick<Kind, "group">, version: string): string {
  return kind.group === "" ? version : `${kind.group}/${version}`;
}

function wholeVersion(version: VersionInput, subresources: Subresources): KindVersion {
  return { selectableFields: [], printerColumns: [], subresources, ...version };
}

function compiledRule({ path, rule }: FieldRule): CompiledFieldRule {
  return { path, rule, segments: parsePointer(path) };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
