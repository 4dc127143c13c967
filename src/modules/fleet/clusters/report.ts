// What a report of an agent means. A report comes from a program that may be faulty or hostile, so
// anything that is not understood means "unknown", which changes nothing. Pure, total, and bounded
// by the limits of the schema of ManagedInstance.

import { setCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isJsonArray } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { fleetLimits } from "../limits.ts";
import { readRoutes } from "./route.ts";
import type { ReportedRoute } from "./route.ts";

export interface ReadReport {
  /** "unknown": nothing in the report may be used. */
  readonly kind: ReportKind;
  /** Of the Ready condition, without control characters. */
  readonly message: string;
  /** The cluster rejected the instance because it has no room for it. */
  readonly isFull: boolean;
  /** Which parts the agent replaces with another version at the moment. */
  readonly updating: { readonly product: boolean; readonly operator: boolean };
  readonly routes: readonly ReportedRoute[];
  /** Why `routes` is empty although the agent reported some. */
  readonly routesProblem: string | undefined;
  /** Running versions by component, such as `product` and `operator`. */
  readonly versions: Readonly<Record<string, string>>;
}

export type ReportKind =
  | "ready"
  | "installing"
  | "error"
  | "rejected"
  | "deleted"
  | "suspended"
  | "unknown";

/** `status.report` of a ManagedInstance, or what an agent sent in its place. */
export function readReport(report: Json | undefined): ReadReport {
  const ready = readyCondition(report);
  const kind = reportKind(report, ready);
  if (kind === "unknown") return unknownReport;
  const message = plainText(textAt(ready, "message"));
  const { routes, problem } = readRoutes(valueAt(report, "routes"));
  return {
    kind,
    message,
    isFull: kind === "rejected" && fullPattern.test(message),
    updating: updatingParts(textAt(ready, "reason")),
    routes,
    routesProblem: problem,
    versions: versionsOf(objectAt(report, "versions")),
  };
}

/**
 * A ManagedInstance with a report. Lists, counts and `why` read its meaning from the condition
 * Ready.
 */
export function withInstanceReport(
  resource: Resource,
  report: JsonObject,
  nowMs: number,
): Resource {
  const { kind, message } = readReport(report);
  const status: JsonObject = { ...objectAt(resource, "status"), report };
  const reason = readyReasons[kind];
  if (reason === undefined) return { ...resource, status };
  const before = objectsAt(status, "conditions") as readonly Condition[];
  const ready = kind === "ready" ? ("True" as const) : ("False" as const);
  const input = { type: "Ready", status: ready, reason, message };
  return { ...resource, status: { ...status, conditions: setCondition(before, input, nowMs) } };
}

/** A report that is not understood changes no condition. */
const readyReasons: Readonly<Record<ReportKind, string | undefined>> = {
  ready: "Ready",
  installing: "Installing",
  error: "Error",
  rejected: "Rejected",
  deleted: "Deleted",
  suspended: "Suspended",
  unknown: undefined,
};

const unknownReport: ReadReport = {
  kind: "unknown",
  message: "",
  isFull: false,
  updating: { product: false, operator: false },
  routes: [],
  routesProblem: undefined,
  versions: {},
};

/** The form "Cluster has insufficient resources" is that of existing agents. */
const fullPattern = /insufficient (resources|capacity)|cluster is full/i;

function readyCondition(report: Json | undefined): JsonObject | undefined {
  const conditions = objectsAt(report, "conditions").slice(0, fleetLimits.maxReportConditions);
  return conditions.find((condition) => word(condition, "type") === "ready");
}

function reportKind(report: Json | undefined, ready: JsonObject | undefined): ReportKind {
  if (ready === undefined) {
    return isJsonArray(valueAt(report, "conditions")) ? "installing" : "unknown";
  }
  // An instance that is updated while it is suspended can be Ready; it is still suspended.
  const reason = word(ready, "reason");
  if (reason === "suspended") return "suspended";
  const status = word(ready, "status");
  if (status === "true") return "ready";
  if (status !== "false") return "unknown";
  return reasonKinds.get(reason) ?? "installing";
}

const reasonKinds: ReadonlyMap<string, ReportKind> = new Map([
  ["installing", "installing"],
  ["deleted", "deleted"],
  ["error", "error"],
  ["rejected", "rejected"],
]);

/** Such as DinosaurUpdating and DinosaurOperatorUpdating. */
function updatingParts(reason: string): ReadReport["updating"] {
  const isOperator = /operatorupdating$/i.test(reason);
  return { product: !isOperator && /updating$/i.test(reason), operator: isOperator };
}

function versionsOf(reported: JsonObject): Readonly<Record<string, string>> {
  const entries = Object.entries(reported).filter(
    (entry): entry is [string, string] =>
      componentPattern.test(entry[0]) && isVersionText(entry[1]),
  );
  return Object.fromEntries(entries.slice(0, fleetLimits.maxReportVersions));
}

const componentPattern = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;

function isVersionText(value: Json): boolean {
  return typeof value === "string" && value !== "" && value.length <= fleetLimits.maxVersionChars;
}

/** Types, statuses and reasons are compared without regard to case, as existing agents need it. */
function word(condition: JsonObject, field: string): string {
  return textAt(condition, field).slice(0, 256).toLowerCase();
}

function plainText(text: string): string {
  const short = shortText(text, fleetLimits.maxReportMessageChars);
  return short
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
}
