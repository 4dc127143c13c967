// A resource must not let its author use a Secret that the author may not read. The object that
// holds the reference also says where the Secret is sent, so a change of either is checked.

import type { AdmissionRequest } from "../../intents/admission/admission.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import { checkReferences } from "../../intents/auth/secret-access.ts";
import { equalJson } from "../../kernel/json.ts";
import { textAt, valueAt } from "../../kernel/json-read.ts";

/** `path` leads to an object with `namespace` and `name`, below the document. */
export function checkSecretUse(
  authorizer: Authorizer,
  { object, old, caller, target }: AdmissionRequest,
  path: readonly string[],
): void {
  const given = valueAt(object, ...path);
  const holder = path.slice(0, -1);
  const isSame = equalJson(valueAt(object, ...holder) ?? null, valueAt(old, ...holder) ?? null);
  if (given === undefined || isSame) return;
  const [namespace, name] = [textAt(given, "namespace"), textAt(given, "name")];
  checkReferences(authorizer, caller.user, target, [{ field: path.join("."), namespace, name }]);
}
