// The kind Connection: where a service is and how it is asked. Only administrators make one, since
// it decides where secrets are sent.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput, PrinterColumn } from "../../../kernel/kind.ts";
import { choice, described, list, map, name, object, text } from "../../../kernel/schema-parts.ts";
import { pointer } from "./pointer-schema.ts";

export const connectGroup = "connect.setpoint.dev";
export const connectionsKind = `connections.${connectGroup}`;

const auth = {
  ...object(
    {
      kind: choice("none", "basic", "bearer", "apiKey", "oauth"),
      secret: described(name, "Name of the Secret with the credentials, in secretNamespace."),
      key: described(text, "Key in the Secret. Default: token for bearer, key for apiKey."),
      in: choice("header", "query"),
      name: described(
        text,
        "Name of the header or query parameter for apiKey. Default: X-API-Key.",
      ),
      tokenUrl: described(text, "URL of the token endpoint (OAuth 2 client credentials)."),
      scope: text,
      audience: text,
    },
    ["kind"],
  ),
  "x-kubernetes-validations": [
    {
      rule: "self.kind == 'none' || has(self.secret)",
      message: "is required unless kind is none",
      fieldPath: ".secret",
    },
    {
      rule: "self.kind != 'oauth' || has(self.tokenUrl)",
      message: "is required for kind oauth",
      fieldPath: ".tokenUrl",
    },
  ],
};

const tls = object({
  ca: {
    type: "string",
    maxLength: 65_536,
    description: "Additional trusted certificate authorities, as PEM.",
  },
  caSecret: described(name, "Name of a Secret with ca.crt."),
  secret: described(name, "Name of a Secret with tls.crt and tls.key: the client certificate."),
  serverName: name,
});

const events = object(
  {
    id: described(pointer, "Field of an event that names its object: by id, path or URL."),
    websocket: described(
      { type: "string", pattern: '^/[!"$-~]*$', maxLength: 2_048 },
      "Path of a WebSocket event stream below the base URL, such as /events?type=lifecycle.",
    ),
  },
  ["id"],
);

const spec: JsonObject = {
  ...object(
    {
      baseUrl: described(
        { type: "string", pattern: "^(https?://|unix:/)", maxLength: 2_048 },
        "Base URL, such as https://dns.example.com/api/v1 or unix:/run/service.socket:/1.0",
      ),
      secretNamespace: described(name, "Namespace of the Secrets named in this Connection."),
      auth,
      tls,
      headers: described(
        map(text, 50),
        "Headers of every request. Do not put credentials here: use auth.",
      ),
      rate: object(
        {
          perSecond: { type: "number", minimum: 0.01 },
          burst: { type: "integer", minimum: 1 },
        },
        ["perSecond"],
      ),
      concurrency: { type: "integer", minimum: 1, maximum: 1_000 },
      timeoutSeconds: { type: "integer", minimum: 1, maximum: 600 },
      maxAnswerBytes: { type: "integer", minimum: 1_024, maximum: 67_108_864 },
      breaker: object({
        failures: { type: "integer", minimum: 1 },
        openSeconds: { type: "integer", minimum: 1 },
      }),
      namespaces: described(
        list(name, 1_000),
        "Namespaces whose resources may use this Connection. Default: all.",
      ),
      events,
    },
    ["baseUrl"],
  ),
  "x-kubernetes-validations": [
    {
      rule:
        "has(self.secretNamespace) || !((has(self.auth) && has(self.auth.secret)) || " +
        "(has(self.tls) && (has(self.tls.secret) || has(self.tls.caSecret))))",
      message: "is required when a Secret is named",
      fieldPath: ".secretNamespace",
    },
  ],
};

export const connectionDefinition: KindInput = {
  group: connectGroup,
  names: { plural: "connections", kind: "Connection", categories: ["connect"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: { ...object({ spec }, ["spec"]) },
      printerColumns: [
        { name: "URL", type: "string", jsonPath: ".spec.baseUrl" },
        { name: "Auth", type: "string", jsonPath: ".spec.auth.kind" },
        shown("Ready", "Ready", "status"),
        shown("Reason", "Ready", "reason"),
        shown("Events", "EventsFollowed", "status"),
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        shown("Deletion", "Released", "message"),
      ],
    },
  ],
};

/** A part of a condition, for `kubectl get`. */
function shown(title: string, condition: string, part: string): PrinterColumn {
  const jsonPath = `.status.conditions[?(@.type=="${condition}")].${part}`;
  return { name: title, type: "string", jsonPath };
}
