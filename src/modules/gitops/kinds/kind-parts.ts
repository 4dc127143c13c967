// Parts that several kinds of this module share.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput, PrinterColumn } from "../../../kernel/kind.ts";
import { choice, described, list, name, object } from "../../../kernel/schema-parts.ts";
import { gitopsLimits } from "../limits.ts";
import { gitopsGroup } from "../names.ts";

export const time: JsonObject = { type: "string", format: "date-time" };
/** May be empty. */
export const anyText: JsonObject = { type: "string", maxLength: 1_024 };
export const longText: JsonObject = { type: "string", maxLength: 4_096 };
export const flag: JsonObject = { type: "boolean" };
export const count: JsonObject = { type: "integer", minimum: 0 };
export const anyName: JsonObject = { type: "string", maxLength: 253 };
/** A full commit id. */
export const commitId: JsonObject = { type: "string", maxLength: 64 };

export const repoUrl: JsonObject = { type: "string", maxLength: gitopsLimits.maxUrlChars };
export const refName: JsonObject = { type: "string", maxLength: gitopsLimits.maxRefChars };

/** One key of a Secret of the namespace. */
export const secretKey: JsonObject = object({ name, key: name }, ["name", "key"]);

export const healthStatuses = [
  "Healthy",
  "Suspended",
  "Progressing",
  "Missing",
  "Degraded",
  "Unknown",
] as const;
export const syncStatuses = ["Synced", "OutOfSync", "Unknown"] as const;

export const health: JsonObject = object({ status: choice(...healthStatuses), message: longText });

/** An object of a target. */
export const reference: { readonly [field: string]: JsonObject } = {
  group: anyText,
  version: anyText,
  kind: anyText,
  namespace: anyName,
  name: anyName,
};

export const syncWindows: JsonObject = described(
  list(
    object(
      {
        kind: choice("allow", "deny"),
        schedule: described(anyText, "A cron expression of five fields: when the window opens."),
        durationSeconds: { type: "integer", minimum: 60, maximum: 2_592_000 },
        timeZone: described(anyText, "An IANA name such as Europe/Berlin. Default: UTC."),
        manualSync: described(flag, "Whether a SyncRun may run outside of the window."),
      },
      ["kind", "schedule", "durationSeconds"],
    ),
    gitopsLimits.maxWindows,
  ),
  "When syncs may run. An open window of the kind deny always wins; with windows of the kind " +
    "allow, syncs run only inside one.",
);

/** CEL rules for the health of objects, in the order in which they are tried. */
export const healthChecks: JsonObject = list(
  object(
    {
      group: anyText,
      kind: name,
      healthy: described(longText, "CEL over `object`; true: Healthy."),
      degraded: described(longText, "CEL over `object`; true: Degraded."),
      suspended: described(longText, "CEL over `object`; true: Suspended."),
      progressing: described(
        longText,
        "CEL over `object`; true: Progressing, which is also the result when no rule is true.",
      ),
      message: described(longText, "CEL over `object`; a text for the message."),
    },
    ["kind"],
  ),
  gitopsLimits.maxHealthRules,
);

export const condition: JsonObject = object(
  {
    type: anyText,
    status: choice("True", "False", "Unknown"),
    reason: anyText,
    message: { type: "string", maxLength: 32_768 },
    observedGeneration: count,
    lastTransitionTime: time,
    lastProbeTime: time,
  },
  ["type", "status"],
);
export const conditions: JsonObject = list(condition, 50);

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

export function textColumn(title: string, jsonPath: string, priority = 0): PrinterColumn {
  return { name: title, type: "string", jsonPath, ...(priority === 0 ? {} : { priority }) };
}

interface KindParts {
  readonly names: KindInput["names"];
  readonly scope?: KindInput["scope"];
  readonly spec: JsonObject;
  readonly status?: JsonObject;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields?: readonly string[];
  readonly fieldRules?: KindInput["fieldRules"];
}

/** A kind of the group with one version. */
export function gitopsKind(parts: KindParts): KindInput {
  const { names, scope = "Namespaced", spec, status, columns, selectableFields = [] } = parts;
  const { fieldRules = [] } = parts;
  const schema = object(status === undefined ? { spec } : { spec, status }, ["spec"]);
  return {
    group: gitopsGroup,
    names: { categories: ["gitops"], ...names },
    scope,
    ...(status === undefined ? {} : { subresources: { status: true } }),
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema,
        printerColumns: [...columns, age],
        selectableFields,
      },
    ],
    fieldRules,
  };
}
