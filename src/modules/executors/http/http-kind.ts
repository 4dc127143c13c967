// The kind HttpCall: requests that create, change and destroy something in an application.

import type { DeclaredKind } from "../../../contract/module.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { anything, choice, described, list, map, object } from "../../../kernel/schema-parts.ts";
import { readyColumns } from "../columns.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";
import { targetStatus } from "../target/drift.ts";

export const httpCallsKind = `httpcalls.${executorsGroup}`;

const headers = map({ type: "string", maxLength: 8_192 }, 50);
const expression = { type: "string", minLength: 1, maxLength: 4_096 };
const url = { type: "string", pattern: "^https?://", maxLength: 2_048 };
const path = { type: "string", maxLength: 2_048 };
const statuses = described(
  list({ type: "integer", minimum: 100, maximum: 599 }, 20),
  "Status codes that count as success. Default: 200 to 299.",
);

const request = object({
  method: choice("GET", "POST", "PUT", "PATCH", "DELETE"),
  path: described(path, "Appended to the URL, with a query if needed."),
  body: described(anything, "Instead of spec.body."),
  expect: statuses,
});

const statusEndpoint = object({
  path,
  url: described(url, "Instead of the URL of the call and the path."),
  expect: statuses,
  healthyWhen: described(expression, "CEL over `response`, in addition to the status."),
});

const seconds = (maximum: number, value: number): JsonObject => {
  return { type: "integer", minimum: 1, maximum, default: value };
};

const spec = object(
  {
    name: described({ type: "string", maxLength: 253 }, "Name of the application."),
    url: described(url, "Where the application is reached."),
    command: described(
      { type: "string", maxLength: 1_024 },
      "What the application shall do. Sent as `command` in the default requests.",
    ),
    requests: described(
      object({ create: request, update: request, destroy: request }),
      "Default: POST of {name, command, action} and spec.body for create and update.",
    ),
    headers,
    secretHeaders: described(
      { ...headers, "x-setpoint-field-rule": "secret" },
      "Headers that are never shown.",
    ),
    body: described(anything, "Sent as JSON."),
    secretBody: described(
      { ...map(anything, 100), "x-setpoint-field-rule": "secret" },
      "Fields that are added to a body that is an object, and never shown.",
    ),
    outputs: described(map(expression, 100), "CEL over `response`: status, headers, body."),
    secretOutputs: described(
      map(expression, 100),
      "The same, for values that are stored in an owned Secret.",
    ),
    statusEndpoints: described(
      list(statusEndpoint, 20),
      "Polled with GET until all are healthy, and from time to time afterwards.",
    ),
    pollSeconds: seconds(3_600, 5),
    healthTimeoutSeconds: described(
      seconds(86_400, 600),
      "After this time without health, the call has failed. Polling continues.",
    ),
    timeoutSeconds: seconds(55, 30),
    maxAnswerBytes: {
      type: "integer",
      minimum: 0,
      maximum: executorLimits.maxHttpAnswerBytes,
      default: 1_048_576,
    },
    ca: described(
      { type: "string", maxLength: 65_536 },
      "Additional trusted certificate authorities, as PEM.",
    ),
  },
  ["url"],
);

const text = { type: "string", maxLength: 2_048 };

const status = object({
  ...targetStatus,
  applied: described({ type: "string", maxLength: 64 }, "Digest of the last accepted request."),
  appliedAt: { type: "string", format: "date-time" },
  tried: described({ type: "boolean" }, "A request was sent."),
  answer: object({ status: { type: "integer" } }),
  endpoints: list(object({ url: text, healthy: { type: "boolean" }, message: text }), 20),
});

export const httpKinds: readonly DeclaredKind[] = [
  {
    isReconciled: true,
    kind: {
      group: executorsGroup,
      names: { plural: "httpcalls", kind: "HttpCall", categories: ["executors"] },
      scope: "Namespaced",
      subresources: { status: true },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: object({ spec, status }, ["spec"]),
          printerColumns: [
            { name: "URL", type: "string", jsonPath: ".spec.url" },
            { name: "Answer", type: "integer", jsonPath: ".status.answer.status" },
            ...readyColumns,
          ],
        },
      ],
    },
  },
];
