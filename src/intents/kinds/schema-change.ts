// What the change of a kind's schema means for a stored document: whether the new schema accepts
// it, as it is or after the migration that the author wrote. The status is left out, because the
// reconciler writes it again.

import { decodeDocument } from "../../kernel/document.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { equalJson, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { defineKind, kindId } from "../../kernel/kind.ts";
import type { KindInput } from "../../kernel/kind.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import type { StoredRecord } from "../../store/port.ts";
import { readStored } from "../write/stored.ts";
import { kindOfDefinition } from "./definition.ts";
import { defaultDefinition } from "./definition-defaults.ts";
import { definitionOfKind, knowingEngineStatus } from "./kind-definition.ts";
import { servedKind } from "./served-kind.ts";
import type { ServedKind } from "./served-kind.ts";

/** Returns the document in the form of the new schema; unchanged if it has that form already. */
export type Migrate = (stored: Resource) => Resource | Promise<Resource>;

export interface SchemaChange {
  readonly kind: string;
  readonly current: ServedKind;
  readonly next: ServedKind;
  readonly migrate?: Migrate | undefined;
}

/** Undefined when the definition has this schema already. */
export function schemaChange(
  definition: Resource,
  kind: KindInput,
  migrate?: Migrate,
): SchemaChange | undefined {
  const wanted = defaultDefinition(definitionOfKind(kind));
  const current = servedFrom(definition);
  const next = servedFrom(wanted);
  const schemas = ({ versions, storage }: ServedKind): readonly unknown[] => [
    storage.apiVersion,
    ...[...versions.values()].map(({ apiVersion, definition: { schema } }) => [apiVersion, schema]),
  ];
  if (equalJson(schemas(current) as never, schemas(next) as never)) return undefined;
  return { kind: kindId(kind), current, next, migrate };
}

function servedFrom(definition: JsonObject): ServedKind {
  const kind = defineKind(knowingEngineStatus(kindOfDefinition(definition)));
  // Every document may be from before an earlier change.
  return servedKind({ kind, cleanSince: Number.POSITIVE_INFINITY });
}

export type Fit =
  | { readonly kind: "accepted" }
  | { readonly kind: "migrated"; readonly resource: Resource }
  | { readonly kind: "refused"; readonly problems: readonly string[] };

/** Problems name fields and never values: a value may be secret. */
export async function fitOf(change: SchemaChange, record: StoredRecord): Promise<Fit> {
  const { current, next, migrate } = change;
  if (record.unopened !== undefined) return refused("its secrets cannot be opened");
  const stored = decodeDocument(record.body, record.revision);
  const visible = await readStored(current, current.storage, record);
  const given = migrate === undefined ? visible : await migrated(stored, migrate);
  if (given === undefined) return refused("migrate failed, or did not return an object");
  const { resource, unknown } = next.storage.type.prune(inVersion(next, given));
  const candidate = next.storage.type.withDefaults(resource);
  const lost = unknown.filter(isKept).map((path) => `${path} is not in the schema`);
  const before = new Set(errorsIn(current, visible).map(identityOf));
  const errors = errorsIn(next, candidate).filter((error) => !before.has(identityOf(error)));
  const problems = [...lost, ...new Set(errors.map(problemOf))];
  if (problems.length > 0) return { kind: "refused", problems };
  const isSame = migrate === undefined || equalJson(given, stored);
  return isSame ? { kind: "accepted" } : { kind: "migrated", resource: candidate };
}

function refused(problem: string): Fit {
  return { kind: "refused", problems: [problem] };
}

/** Of the returned document, everything but identity, metadata and status. */
async function migrated(stored: Resource, migrate: Migrate): Promise<Resource | undefined> {
  let given: unknown;
  try {
    given = await migrate(structuredClone(stored));
  } catch {
    return undefined;
  }
  if (!isJsonObject(given)) return undefined;
  const { apiVersion, kind, metadata, status } = stored;
  const own = { apiVersion, kind, metadata, ...(status === undefined ? {} : { status }) };
  return { ...withoutKey(given, "status"), ...own };
}

function inVersion({ storage: { apiVersion } }: ServedKind, resource: Resource): Resource {
  return resource.apiVersion === apiVersion ? resource : { ...resource, apiVersion };
}

function errorsIn({ storage: { type } }: ServedKind, resource: Resource): readonly FieldError[] {
  const errors = type.validate(resource, { old: undefined, subresource: "", errors: [] });
  return errors.filter(({ path }) => isKept(path));
}

function isKept(path: string): boolean {
  return !/^status\b/.test(path);
}

function identityOf({ path, kind }: FieldError): string {
  return `${kind} ${path}`;
}

const wordsOf: Partial<Record<FieldError["kind"], string>> = {
  required: "is required",
  type: "has another type",
  unsupported: "has a value that is not supported",
  "too-long": "is too long",
  "too-many": "has too many items",
};

function problemOf({ path, kind }: FieldError): string {
  return `${path} ${wordsOf[kind] ?? "is not valid"}`;
}
