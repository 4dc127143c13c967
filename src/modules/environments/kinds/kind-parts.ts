// Parts that several kinds of this module share.

import type { JsonObject } from "../../../kernel/json.ts";
import type { PrinterColumn } from "../../../kernel/kind.ts";
import { anything, choice, described, list, map, object } from "../../../kernel/schema-parts.ts";
import { text } from "../../../kernel/schema-parts.ts";
import { environmentLimits } from "../limits.ts";

export const time: JsonObject = { type: "string", format: "date-time" };
/** May be empty. */
export const anyText: JsonObject = { type: "string", maxLength: 1_024 };
export const longText: JsonObject = { type: "string", maxLength: 4_096 };
export const count: JsonObject = { type: "integer", minimum: 0 };
export const freeObject: JsonObject = { type: "object", ...anything };
/** Texts with CEL in `${…}`. */
export const expressionText: JsonObject = { type: "string", minLength: 1, maxLength: 16_384 };

export const seconds: JsonObject = {
  type: "integer",
  minimum: 0,
  maximum: environmentLimits.maxLifetimeSeconds,
};

/** Names in expressions and in the names of resources. */
export const key: JsonObject = {
  type: "string",
  maxLength: 63,
  pattern: "^[a-z]([a-z0-9-]*[a-z0-9])?$",
};

export const tags: JsonObject = described(
  map({ type: "string", maxLength: 1_024 }, environmentLimits.maxTags),
  "Names and values for people and searches.",
);

export const displayName: JsonObject = { type: "string", minLength: 1, maxLength: 253 };

export const entryPoints: JsonObject = described(
  list(
    object({ name: text, url: expressionText, description: longText }, ["name", "url"]),
    environmentLimits.maxEndpoints,
  ),
  "Where users reach it. URLs may contain expressions.",
);

export const statusEndpoints: JsonObject = described(
  list(
    object(
      {
        name: text,
        url: expressionText,
        method: choice("GET", "HEAD"),
        expectStatus: described(
          list({ type: "integer", minimum: 100, maximum: 599 }, 20),
          "Statuses that mean healthy. Default: 200 to 299.",
        ),
        expectText: described(text, "A text that the body must contain."),
        intervalSeconds: described({ ...seconds, minimum: 1 }, "How often it is called."),
        timeoutSeconds: { type: "integer", minimum: 1, maximum: 60 },
      },
      ["name", "url"],
    ),
    environmentLimits.maxEndpoints,
  ),
  "URLs that answer whether it is healthy. They are called during validation and afterwards.",
);

/** A link as the status shows it, with the expressions evaluated. */
export const shownLinks: JsonObject = list(
  object({ name: anyText, url: longText, description: longText }),
  environmentLimits.maxEndpoints,
);

export const shownHealth: JsonObject = list(
  object({
    name: anyText,
    url: longText,
    healthy: { type: "boolean" },
    message: longText,
    checkedAt: time,
    since: time,
  }),
  environmentLimits.maxEndpoints,
);

const driftItem = object({
  resource: anyText,
  path: longText,
  address: longText,
  kind: choice("changed", "missing", "unexpected"),
  message: longText,
});

export const drift: JsonObject = object({
  state: choice("None", "Drifted", "Unknown", "Accepted"),
  checkedAt: time,
  digest: anyText,
  resources: count,
  items: list(driftItem, 200),
});

/** A part of a condition, for `kubectl get`. */
export function conditionColumn(title: string, type: string, part: string): PrinterColumn {
  const jsonPath = `.status.conditions[?(@.type=="${type}")].${part}`;
  return { name: title, type: "string", jsonPath };
}

export const age: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
};

/** One served version with a status. */
export function versions(
  parts: { readonly spec: JsonObject; readonly status?: JsonObject },
  printerColumns: readonly PrinterColumn[],
  selectableFields: readonly string[] = [],
): readonly {
  readonly name: string;
  readonly served: true;
  readonly storage: true;
  readonly schema: JsonObject;
  readonly printerColumns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
}[] {
  const schema = object({ ...parts }, ["spec"]);
  return [
    {
      name: "v1",
      served: true,
      storage: true,
      schema,
      printerColumns: [...printerColumns, age],
      selectableFields,
    },
  ];
}
