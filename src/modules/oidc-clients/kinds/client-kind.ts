// The kind OidcClient: one client of an OpenID provider, whose credentials are in a Secret. What
// the provider issued is in the status. Its secret parts are sealed, and never shown.

import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, map, name, object, text } from "../../../kernel/schema-parts.ts";
import { oidcLimits } from "../limits.ts";
import { readyColumns } from "./columns.ts";
import { oidcGroup } from "./group.ts";

export const clientsKind = `oidcclients.${oidcGroup}`;
/** The index term by which an issuer finds its clients. */
export const issuerField = "spec.issuer";

export const grantTypes = [
  "authorization_code",
  "client_credentials",
  "refresh_token",
  "urn:ietf:params:oauth:grant-type:device_code",
] as const;

const spec = object(
  {
    issuer: described(
      { ...name, "x-setpoint-field-rule": "create-only" },
      "Name of the OidcIssuer.",
    ),
    clientName: described({ ...text, maxLength: 200 }, "Name of the client, for people."),
    redirectUris: described(
      list({ type: "string", minLength: 1, maxLength: oidcLimits.maxUriChars }, 50),
      "Where the provider may send people after their login.",
    ),
    grantTypes: {
      ...list(choice(...grantTypes), grantTypes.length),
      minItems: 1,
      default: ["authorization_code"],
    },
    scopes: list({ ...text, maxLength: 100 }, oidcLimits.maxScopes),
    secretName: described(
      name,
      "Name of the Secret that gets client_id, client_secret and issuer. It must not exist.",
    ),
    rotation: {
      "x-kubernetes-int-or-string": true,
      description: "Any number or text. A change registers a new client with a new secret.",
    },
  },
  ["issuer", "clientName", "secretName"],
);

const issued = { type: "string", maxLength: oidcLimits.maxIssuedChars };
const sealed = { ...issued, "x-setpoint-field-rule": "secret" };

const registration = object({
  softwareId: { type: "string" },
  uri: { type: "string" },
  registeredAt: { type: "string" },
  clientSecret: sealed,
  accessToken: sealed,
});

const status = object({
  clientId: described(issued, "Of the client whose credentials the Secret has."),
  secretName: { type: "string" },
  secretExpiresAt: described({ type: "string" }, "When the provider stops accepting the secret."),
  registrations: described(
    map(registration, 100),
    "What the provider has registered, by client_id. Earlier ones are deleted.",
  ),
  pending: described(
    object({ softwareId: { type: "string" }, since: { type: "string" } }),
    "A request whose answer is not stored yet.",
  ),
  unconfirmed: described(
    { type: "integer" },
    "Registrations of which no answer was received. The provider may have a client for each.",
  ),
});

export const clientDefinition: KindInput = {
  group: oidcGroup,
  names: { plural: "oidcclients", kind: "OidcClient", categories: ["oidc"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }, ["spec"]),
      selectableFields: [`.${issuerField}`],
      printerColumns: [
        { name: "Client", type: "string", jsonPath: ".status.clientId" },
        { name: "Secret", type: "string", jsonPath: ".status.secretName" },
        ...readyColumns,
      ],
    },
  ],
};
