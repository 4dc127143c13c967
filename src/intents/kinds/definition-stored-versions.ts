// The versions that documents may be stored in. A version leaves the list when a client has
// rewritten all documents and says so; before that it cannot leave the definition.

import { invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isTrueAt, statusOf, textAt, textsAt, versionsOf } from "./definition-parts.ts";

const path = "status.storedVersions";

/** What is in storedVersions, and the storage version. Only clients take versions out again. */
export function grownStoredVersions(definition: JsonObject): readonly string[] {
  const stored = textsAt(statusOf(definition), "storedVersions");
  const storage = versionsOf(definition).find((version) => isTrueAt(version, "storage"));
  const name = storage === undefined ? "" : textAt(storage, "name");
  return name === "" || stored.includes(name) ? stored : [...stored, name];
}

export function storedVersionErrors(
  definition: JsonObject,
  stored: readonly string[],
): readonly FieldError[] {
  if (stored.length === 0) {
    return [invalidField(path, undefined, "must have at least one stored version")];
  }
  const versions = versionsOf(definition);
  const missing = versions
    .filter((version) => isTrueAt(version, "storage"))
    .map((version) => textAt(version, "name"))
    .filter((name) => !stored.includes(name))
    .map((name) => invalidField(path, stored, `must have the storage version ${name}`));
  const known = new Set(versions.map((version) => textAt(version, "name")));
  const lost = [...stored.entries()]
    .filter(([, name]) => !known.has(name))
    .map(([index, name]) => invalidField(`${path}[${index}]`, name, lostVersion(name)));
  return [...missing, ...lost];
}

function lostVersion(name: string): string {
  return (
    `missing from spec.versions; ${name} was previously a storage version, and must remain in ` +
    `spec.versions until a storage migration ensures no data remains persisted in ${name} and ` +
    `removes ${name} from status.storedVersions`
  );
}
