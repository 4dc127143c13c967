// The kind Organisation: a customer, with its members, quotas and accepted terms. It is created by
// an administrator, or when a member first uses the public API. Its instances are in the namespace
// org-NAME. See ADR 22.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { described, list, name, object, text } from "../../../kernel/schema-parts.ts";
import { fleetGroup } from "../names.ts";
import { readyColumns, time } from "./kind-parts.ts";

const flag: JsonObject = { type: "boolean" };

const member = object(
  {
    user: described(text, "The name under which the member owns instances."),
    rbacUser: described(
      { type: "string", maxLength: 1_024 },
      "The user name of the member for RBAC, where it is not `user`. Empty: not known yet, so " +
        "the member has no rights by RBAC. Set when the member first uses an API.",
    ),
    claimedFrom: described(
      text,
      "The issuer and the claims that named the organisation. The member is removed when they " +
        "name another organisation.",
    ),
    account: text,
    isAdmin: described(flag, "May change and delete every instance of the organisation."),
    isDenied: described(flag, "May not use the service. The instances are suspended."),
  },
  ["user"],
);

const quota = object(
  {
    offering: name,
    type: name,
    max: { type: "integer", minimum: 0, maximum: 1_000_000 },
    users: described(
      list(text, 1_000),
      "Only these members use the quota of the organisation. Absent: every member.",
    ),
    user: described(text, "A quota of this member alone, counted for the member."),
  },
  ["offering", "type", "max"],
);

const acceptance = object({ user: text, offering: name, version: text, at: time }, [
  "user",
  "offering",
  "version",
]);

const spec: JsonObject = object({
  displayName: text,
  accountNumber: text,
  issuers: described(
    list(text, 20),
    "OpenID issuers whose tokens may name the organisation. Absent: the first issuer that does " +
      "is added.",
  ),
  adoptsNamespace: described(flag, "Uses a namespace org-NAME that another user has created."),
  members: list(member, 10_000),
  quotas: list(quota, 1_000),
  termsAccepted: list(acceptance, 20_000),
  isDenied: described(flag, "No member may use a service. All instances are suspended."),
});

const status: JsonObject = object({
  namespace: name,
  usage: list(
    object({
      offering: name,
      type: name,
      user: text,
      used: { type: "integer" },
      max: { type: "integer" },
    }),
    1_000,
  ),
});

export const organisationKind: KindInput = {
  group: fleetGroup,
  names: {
    plural: "organisations",
    kind: "Organisation",
    shortNames: ["org"],
    categories: ["fleet"],
  },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }),
      printerColumns: [
        { name: "Display Name", type: "string", jsonPath: ".spec.displayName" },
        { name: "Denied", type: "boolean", jsonPath: ".spec.isDenied" },
        ...readyColumns,
      ],
    },
  ],
};
