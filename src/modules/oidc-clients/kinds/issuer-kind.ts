// The kind OidcIssuer: an OpenID provider with dynamic client registration, and who may register
// clients there. Only administrators create one, because it decides where a token is sent.

import { allowedNamespaces } from "../../../kernel/allowed-namespaces.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, name, object, text } from "../../../kernel/schema-parts.ts";
import { oidcLimits } from "../limits.ts";
import { oidcGroup } from "./group.ts";
import { readyColumns } from "./columns.ts";

export const issuersKind = `oidcissuers.${oidcGroup}`;
/** As a resource that others use. */
export const sharedIssuer = { kind: issuersKind, word: "OidcIssuer" } as const;

const secretRef = object({ namespace: name, name, key: text }, ["namespace", "name", "key"]);

const registration = object({
  initialAccessToken: described(
    object({ secretRef }, ["secretRef"]),
    "The token that registrations need, in a Secret.",
  ),
  softwareId: {
    ...choice("Ignored", "Identifies"),
    default: "Ignored",
    description:
      "Identifies: the provider derives the client_id from the software_id, so a repeated " +
      "registration has the same client.",
  },
});

const spec = object(
  {
    issuer: {
      type: "string",
      pattern: "^https?://",
      maxLength: 2_048,
      description:
        "URL of the issuer, exactly as the provider states it. https, or http to loopback.",
      "x-setpoint-field-rule": "create-only",
    },
    registration,
    ca: {
      type: "string",
      maxLength: 65_536,
      description: "Additional trusted certificate authorities, as PEM.",
    },
    resyncSeconds: {
      type: "integer",
      minimum: 5,
      maximum: 86_400,
      default: oidcLimits.resyncSeconds,
      description: "How often clients are compared with the provider.",
    },
    allow: described(
      object({ namespaces: allowedNamespaces }),
      "Who may register clients. Without it, no namespace may.",
    ),
  },
  ["issuer"],
);

const status = object({
  registrationEndpoint: described({ type: "string" }, "Where clients are registered."),
});

export const issuerDefinition: KindInput = {
  group: oidcGroup,
  names: { plural: "oidcissuers", kind: "OidcIssuer", categories: ["oidc"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }, ["spec"]),
      printerColumns: [
        { name: "Issuer", type: "string", jsonPath: ".spec.issuer" },
        ...readyColumns,
      ],
    },
  ],
};
