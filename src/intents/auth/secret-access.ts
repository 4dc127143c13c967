// A resource that names a Secret makes the server read it and send it to an external system. So a
// user may name only Secrets that the user may get. The reference is checked when it is written,
// with the permissions of the writer at that time; a stored reference keeps working.

import type { Target } from "../request.ts";
import { forbidden } from "./forbidden.ts";
import type { Authorizer, ResourceAccess } from "./policy.ts";
import type { UserInfo } from "./user.ts";

export interface SecretReference {
  /** As "connect.secrets[0].secret". */
  readonly field: string;
  readonly namespace: string;
  readonly name: string;
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
