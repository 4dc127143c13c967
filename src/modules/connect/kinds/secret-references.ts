// The Secrets that a resource or a Connection names, as far as a write has to be checked for them
// (intents/auth/secret-access.ts): new references, and all references when their target changes:
// the field, the Connection, or the place of the service.

import type { SecretReference } from "../../../intents/auth/secret-access.ts";
import { equalJson } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";

/** Of a resource of a kind that is kept in a service. */
export function resourceReferences(
  object: Resource,
  old: Resource | undefined,
  namespace: string,
): readonly SecretReference[] {
  const entries = objectsAt(object["connect"], "secrets");
  const isElsewhere = ["connection", "parent", "parameters"].some((key) => {
    return !equalJson(valueAt(old?.["connect"], key), valueAt(object["connect"], key));
  });
  const before = isElsewhere ? [] : objectsAt(old?.["connect"], "secrets");
  return entries.flatMap((entry, index) => {
    if (before.some((each) => equalJson(each, entry))) return [];
    const field = `connect.secrets[${index}].secret`;
    return [{ field, namespace, name: textAt(entry, "secret") }];
  });
}

/** Of a Connection; any change of its spec may send the credentials elsewhere. */
export function connectionReferences(
  object: Resource,
  old: Resource | undefined,
): readonly SecretReference[] {
  if (old !== undefined && equalJson(old.spec, object.spec)) return [];
  const spec = objectAt(object, "spec");
  const namespace = textAt(spec, "secretNamespace");
  const places = [
    ["auth", "secret"],
    ["tls", "secret"],
    ["tls", "caSecret"],
  ] as const;
  return places.flatMap(([part, key]) => {
    const name = textAt(spec, part, key);
    return name === "" ? [] : [{ field: `spec.${part}.${key}`, namespace, name }];
  });
}
