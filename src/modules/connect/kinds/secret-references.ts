// A resource or a Connection that names a Secret makes the server read it and send it to a service.
// So a user may name only Secrets that the user may get. The reference is checked when it is
// written, with the permissions of the writer at that time; a stored reference keeps working. It is
// checked again when its target changes: the field, the Connection, or the place of the service.

import { forbidden } from "../../../intents/auth/forbidden.ts";
import type { Authorizer, ResourceAccess } from "../../../intents/auth/policy.ts";
import type { UserInfo } from "../../../intents/auth/user.ts";
import type { Target } from "../../../intents/request.ts";
import { equalJson } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";

interface SecretReference {
  /** As "connect.secrets[0].secret". */
  readonly field: string;
  readonly namespace: string;
  readonly name: string;
}

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

/** Refuses the write if the user may not get one of the Secrets, whether it exists or not. */
export function checkReferences(
  authorizer: Authorizer,
  user: UserInfo,
  { served, name }: Pick<Target, "served" | "name">,
  references: readonly SecretReference[],
): void {
  for (const { field, namespace, name: secret } of references) {
    const access: ResourceAccess = {
      kind: "resource",
      verb: "get",
      group: "",
      resource: "secrets",
      subresource: "",
      namespace,
      name: secret,
    };
    if (authorizer.authorize(user, access).allowed) continue;
    const { group, names } = served.kind;
    const why =
      `${field}: User ${JSON.stringify(user.name)} cannot get the Secret ` +
      `${JSON.stringify(secret)} in the namespace ${JSON.stringify(namespace)}`;
    throw forbidden({ group, resource: names.plural, name }, why);
  }
}
