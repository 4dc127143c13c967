// A kind with one version, in the fewest words: most kinds begin like this, and those that have
// grown write a `KindInput` themselves.

import { SetpointError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { FieldRule, KindInput, PrinterColumn } from "../kernel/kind.ts";
import { unknownField } from "../kernel/unknown-field.ts";

export interface KindDescription {
  /** Group and version, as in "example.dev/v1". */
  readonly apiVersion: string;
  /** In CamelCase, as in "Greeting". */
  readonly kind: string;
  /** In lower case, as in "greetings". */
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly scope?: KindInput["scope"];
  /** The schema of the spec: OpenAPI v3, as in a CustomResourceDefinition. */
  readonly spec: JsonObject;
  /** The schema of what the author writes into the status; the engine's own part is added. */
  readonly status?: JsonObject;
  /** Ready, Synced, Reason (of Ready) and Age when left out. */
  readonly columns?: readonly PrinterColumn[];
  readonly fieldRules?: readonly FieldRule[];
}

const knownFields: readonly (keyof KindDescription)[] = [
  "apiVersion",
  "kind",
  "plural",
  "shortNames",
  "scope",
  "spec",
  "status",
  "columns",
  "fieldRules",
];

/** Throws for a field that it does not know, and for a required one that is missing. */
export function describeKind(given: KindDescription): KindInput {
  const problem = unknownField("", given, knownFields) ?? requiredProblem(given);
  if (problem !== undefined) throw new SetpointError("config.invalid", `describeKind: ${problem}`);
  const { apiVersion, kind, plural, shortNames = [], scope = "Namespaced", spec, status } = given;
  const slash = apiVersion.lastIndexOf("/");
  const properties = status === undefined ? { spec } : { spec, status };
  const schema = { type: "object", required: ["spec"], properties };
  return {
    group: apiVersion.slice(0, Math.max(slash, 0)),
    names: { plural, kind, shortNames },
    scope,
    subresources: { status: true },
    fieldRules: given.fieldRules ?? [],
    versions: [
      {
        name: apiVersion.slice(slash + 1),
        served: true,
        storage: true,
        schema,
        printerColumns: given.columns ?? [],
      },
    ],
  };
}

/** The types are not checked when a module is loaded. */
function requiredProblem(given: Readonly<Partial<KindDescription>>): string | undefined {
  for (const name of ["apiVersion", "kind", "plural"] as const) {
    const value: unknown = given[name];
    if (value === undefined || value === "") return `${name} is required`;
    if (typeof value !== "string") return `${name} must be a string`;
  }
  if (given.spec === undefined) return "spec is required";
  if (/^[^/]+\/[^/]+$/.test(given.apiVersion ?? "")) return undefined;
  return `apiVersion needs a group, such as example.dev/v1; got ${given.apiVersion}`;
}
