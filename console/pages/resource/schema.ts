// The schema of a kind, for completion: from the OpenAPI document of its group.

import type { KindInfo } from "../../api/kinds.ts";
import type { JsonRecord, JsonValue } from "../../api/types.ts";
import type { Path } from "./yaml-fields.ts";

export type Schema = JsonRecord;

export interface Proposal {
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/** Resolves references inside the document. */
export class Schemas {
  readonly #schemas: JsonRecord;
  readonly root: Schema | undefined;

  constructor(document: JsonRecord, kind: Pick<KindInfo, "group" | "version" | "kind">) {
    this.#schemas = record(record(document["components"])?.["schemas"]) ?? {};
    this.root = Object.values(this.#schemas)
      .map(record)
      .find((schema) => schema !== undefined && isOf(schema, kind));
  }

  /** The schema of the value at a path; undefined where none is known. */
  at(path: Path): Schema | undefined {
    let schema = this.#resolved(this.root);
    for (const part of path) {
      if (schema === undefined) return undefined;
      const properties = record(schema["properties"]);
      const next =
        typeof part === "number"
          ? schema["items"]
          : (properties?.[part] ?? schema["additionalProperties"]);
      schema = this.#resolved(record(next));
    }
    return schema;
  }

  /** The fields that an object at a path may have. */
  fields(path: Path): readonly Proposal[] {
    const schema = this.at(path);
    const required = new Set(list(schema?.["required"]));
    return Object.entries(record(schema?.["properties"]) ?? {}).map(([name, value]) => {
      const field = this.#resolved(record(value)) ?? {};
      return {
        name,
        description: text(record(value)?.["description"]) || text(field["description"]),
        type: text(field["type"]),
        isRequired: required.has(name),
      };
    });
  }

  /** The values that a field may have, where they are known. */
  values(path: Path): readonly string[] {
    const schema = this.at(path);
    if (schema?.["type"] === "boolean") return ["true", "false"];
    return list(schema?.["enum"]).map(String);
  }

  /** References, and `allOf` with one part, as the documents of Kubernetes write them. */
  #resolved(schema: Schema | undefined): Schema | undefined {
    let current = schema;
    for (let hops = 0; current !== undefined && hops < 8; hops += 1) {
      const [only] = list(current["allOf"]).map(record);
      const reference = text(current["$ref"]) || text(only?.["$ref"]);
      if (reference === "") return current;
      current = record(this.#schemas[reference.replace("#/components/schemas/", "")]);
    }
    return current;
  }
}

function isOf(
  schema: Schema,
  { group, version, kind }: Pick<KindInfo, "group" | "version" | "kind">,
) {
  return list(schema["x-kubernetes-group-version-kind"])
    .map(record)
    .some(
      (each) => each?.["group"] === group && each["version"] === version && each["kind"] === kind,
    );
}

/** A first text for a new resource: the required fields, with what they may contain. */
export function template(
  kind: Pick<KindInfo, "group" | "version" | "kind" | "isNamespaced">,
  schemas: Schemas,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  const { group, version, isNamespaced } = kind;
  const lines = [
    `apiVersion: ${group === "" ? version : `${group}/${version}`}`,
    `kind: ${kind.kind}`,
    "metadata:",
    `  name: ${name || "example"}`,
    ...(isNamespaced ? [`  namespace: ${namespace || "default"}`] : []),
  ];
  for (const part of ["spec", "data"]) {
    if (schemas.at([part]) === undefined) continue;
    const fields = schemas.fields([part]).filter(({ isRequired }) => isRequired);
    const shown = fields.map(({ name: field, type }) => {
      const [value = emptyOf(type)] = schemas.values([part, field]);
      return `  ${field}: ${value}`;
    });
    lines.push(...(shown.length === 0 ? [`${part}: {}`] : [`${part}:`, ...shown]));
  }
  return `${lines.join("\n")}\n`;
}

function emptyOf(type: string): string {
  const values: Readonly<Record<string, string>> = {
    integer: "1",
    number: "1",
    boolean: "false",
    array: "[]",
    object: "{}",
  };
  return values[type] ?? '""';
}

function record(value: JsonValue | undefined): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonRecord)
    : undefined;
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
