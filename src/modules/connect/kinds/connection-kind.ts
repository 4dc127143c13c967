// The kind Connection: where a service is and how it is asked. Only administrators make one, since
// it decides where secrets are sent.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput, PrinterColumn } from "../../../kernel/kind.ts";
import { choice, described, list, map, name, object, pointer, text } from "./schemas.ts";

export const connectGroup = "connect.setpoint.dev";
export const connectionsKind = `connections.${connectGroup}`;

const auth = {
  ...object(
    {
      kind: choice("none", "basic", "bearer", "apiKey", "oauth"),
      secret: described(name, "The Secret with the credentials, in secretNamespace."),
      key: described(text, "The key in the Secret of a token (token) or of an API key (key)."),
      in: choice("header", "query"),
      name: described(text, "Of the header or the query parameter; X-API-Key by default."),
      tokenUrl: described(text, "Where tokens are given for client-id and client-secret."),
      scope: text,
      audience: text,
    },
    ["kind"],
  ),
  "x-kubernetes-validations": [
    {
      rule: "self.kind == 'none' || has(self.secret)",
      message: "a Secret has to be named, except for kind none",
      fieldPath: ".secret",
    },
    {
      rule: "self.kind != 'oauth' || has(self.tokenUrl)",
      message: "is needed for kind oauth",
      fieldPath: ".tokenUrl",
    },
  ],
};

const tls = object({
  ca: { type: "string", maxLength: 65_536, description: "Trusted besides the usual ones, as PEM." },
  caSecret: described(name, "A Secret with ca.crt."),
  secret: described(name, "A Secret with tls.crt and tls.key, to prove who asks."),
  serverName: name,
});

const events = object(
  {
    id: described(
      pointer,
      "Where an event says which object it is about: by its id, its path or its address.",
    ),
    websocket: described(
      { type: "string", pattern: '^/[!"$-~]*$', maxLength: 2_048 },
      "A stream of events below the base URL that is followed, such as /events?type=lifecycle.",
    ),
  },
  ["id"],
);

const spec: JsonObject = {
  ...object(
    {
      baseUrl: described(
        { type: "string", pattern: "^(https?://|unix:/)", maxLength: 2_048 },
        "Such as https://dns.example.com/api/v1, or unix:/run/service.socket:/1.0",
      ),
      secretNamespace: described(name, "Where the Secrets are that are named here."),
      auth,
      tls,
      headers: described(map(text, 50), "Sent with every request; no place for credentials."),
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
        "The namespaces whose resources may use it; all of them when left out.",
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
      message: "is needed when Secrets are named",
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
