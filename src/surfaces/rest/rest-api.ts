// What the documents of the REST API state beside its routes.

import { catalogue } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ApiDescription } from "./api-description.ts";
import { problemType } from "./problem.ts";

export function restApi(version: string): ApiDescription {
  return {
    title: "Setpoint REST API",
    version,
    description:
      "History, state and problems of the resources of this server. " +
      "The resources themselves are served by the Kubernetes API.",
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    documentLink: "openapi.json",
    errors: {
      name: "Problem",
      schema: problemSchema,
      mediaType: problemType,
      description: "A problem (RFC 9457).",
      text:
        "Every error is `application/problem+json` with `code`, `detail`, `field`, " +
        "`suggestion` and `traceId`.",
      codes: Object.entries(catalogue).map(([code, { status, summary, action }]) => {
        return { code, status, summary, action };
      }),
    },
  };
}

const problemSchema: JsonObject = {
  type: "object",
  required: ["type", "title", "status", "detail", "code", "suggestion", "traceId"],
  properties: {
    type: { type: "string", description: "Where the code is documented." },
    title: { type: "string", description: "What the code means." },
    status: { type: "integer" },
    detail: { type: "string", description: "Explanation of this problem." },
    code: { type: "string", description: "Stable machine-readable code." },
    field: { type: "string", description: "The field or parameter that caused the problem." },
    suggestion: { type: "string", description: "Suggested action." },
    traceId: {
      type: "string",
      description: "Id of the trace, to find the request in the log of the server.",
    },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          field: { type: "string" },
          kind: { type: "string", description: "As in required, type, unsupported, unknown." },
          detail: { type: "string" },
        },
      },
    },
  },
};
