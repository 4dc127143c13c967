// The versions that documents may be stored in. A version leaves the list when a client has
// rewritten all documents and says so; before that it cannot leave the definition.

import { invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isTrueAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { statusOf, versionsOf } from "./definition-parts.ts";

const path = "status.storedVersions";

/** What is in storedVersions, and the storage version. Only clients take versions out again. */
export function grownStoredVersions(definition: JsonObject): readonly string[] {
  const stored = textsAt(statusOf(definition), "storedVersions");
  const storage = versionsOf(definition).find((version) => isTrueAt(version, "storage"));
  if (storage === undefined) return stored;
  const name = textAt(storage, "name");
  return stored.includes(name) ? stored : [...stored, name];
}

export function storedVersionErrors(
  definition: JsonObject,
  stored: readonly string[],
): readonly FieldError[] {
  if (stored.length === 0) {
    return [invalidField(path, undefined, "must have at least one stored version")];
  }
  const left = new Set(stored);
  const missing: FieldError[] = [];
  for (const version of versionsOf(definition)) {
    const name = textAt(version, "name");
    // The second of two versions of one name finds the place taken, as in Kubernetes.
    if (!left.delete(name) && isTrueAt(version, "storage")) {
      missing.push(invalidField(path, stored, `must have the storage version ${name}`));
    }
  }
  const lost = [...left].map((name) => {
    return invalidField(`${path}[${stored.indexOf(name)}]`, name, lostVersion(name));
  });
  return [...missing, ...lost];
}

function lostVersion(name: string): string {
  return (
    `missing from spec.versions; ${name} was previously a storage version, and must remain in ` +
    `spec.versions until a storage migration ensures no data remains persisted in ${name} and ` +
    `removes ${name} from status.storedVersions`
  );
}
