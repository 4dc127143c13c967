// A resource must not let its author use a Secret that the author may not read.

import type { AdmissionRequest } from "../../intents/admission/admission.ts";
import { forbidden } from "../../intents/auth/forbidden.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import { equalJson } from "../../kernel/json.ts";
import { textAt, valueAt } from "../../kernel/json-read.ts";

/** `path` leads to an object with `namespace` and `name`, below the document. */
export function checkSecretUse(
  authorizer: Authorizer,
  { object, old, caller, target }: AdmissionRequest,
  path: readonly string[],
): void {
  const given = valueAt(object, ...path);
  const before = valueAt(old, ...path);
  if (given === undefined || equalJson(given, before ?? null)) return;
  const [namespace, name] = [textAt(given, "namespace"), textAt(given, "name")];
  const access = { verb: "get", group: "", resource: "secrets", subresource: "" };
  const allowed = authorizer.authorize(caller.user, {
    kind: "resource",
    ...access,
    namespace,
    name,
  });
  if (allowed.allowed) return;
  const { group, names } = target.served.kind;
  const why =
    `${path.join(".")}: User ${JSON.stringify(caller.user.name)} cannot get the Secret ` +
    `${JSON.stringify(name)} in the namespace ${JSON.stringify(namespace)}`;
  throw forbidden({ group, resource: names.plural, name: target.name }, why);
}
