// Judges what an agent reports about one instance. An agent has authority over the placements of
// its own cluster and nothing else: a report about an unknown instance, an earlier placement, or
// the deletion of a live instance is refused. What is stored is within the limits of the schema,
// whatever was sent. Pure.

import type { Json, JsonObject } from "../../../kernel/json.ts";
import { equalJson, isJsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { readManagedInstance } from "../clusters/managed-instance.ts";
import { readReport } from "../clusters/report.ts";
import { foreignRouter, readRoutes } from "../clusters/route.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { versionNames } from "./agent-view.ts";

export interface ReportInput {
  /** Undefined when the cluster has no such instance. */
  readonly resource: Resource | undefined;
  readonly sent: Json;
  readonly offering: Offering;
  /** Domain of the ingress of the cluster. */
  readonly domain: string;
  readonly nowMs: number;
}

export type Verdict =
  | { readonly kind: "store"; readonly report: JsonObject }
  /** The stored report says the same. */
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly reason: string };

export function judgeReport(input: ReportInput): Verdict {
  const { resource, sent, offering } = input;
  if (!isJsonObject(sent)) return refused("the report is not an object");
  if (resource === undefined) return refused("the cluster has no such instance");
  const instance = readManagedInstance(resource);
  if (instance.offering !== offering.name) return refused("the cluster has no such instance");
  const about = textAt(sent, "placementId");
  if (about !== "" && about !== instance.placementId) {
    return refused("the report is about an earlier placement");
  }
  const report = { placementId: instance.placementId, ...storable(sent, input) };
  const { kind } = readReport(report);
  if (kind === "unknown") return refused("the Ready condition is not understood");
  if (kind === "deleted" && instance.deletedAtMs === undefined) {
    return refused("the instance is reported as deleted, and it is not being deleted");
  }
  const last = instance.report;
  if (last !== undefined && equalJson(withoutKey(last, "at"), report)) return { kind: "unchanged" };
  return { kind: "store", report: { ...report, at: new Date(input.nowMs).toISOString() } };
}

function refused(reason: string): Verdict {
  return { kind: "refused", reason };
}

/** The parts that the schema of a ManagedInstance knows, each within its limit. */
function storable(sent: JsonObject, { offering, domain }: ReportInput): JsonObject {
  const { routes, problem } = usableRoutes(valueAt(sent, "routes"), domain);
  const conditions = objectsAt(sent, "conditions")
    .slice(0, fleetLimits.maxReportConditions - 1)
    .map(storableCondition)
    .filter(({ type }) => type !== "");
  const invalid = {
    type: "RoutesValid",
    status: "False",
    reason: "Invalid",
    message: problem ?? "",
  };
  const versions = versionsOf(objectAt(sent, "versions"), offering);
  return {
    ...(Array.isArray(sent["conditions"])
      ? { conditions: problem === undefined ? conditions : [...conditions, invalid] }
      : {}),
    ...(Object.keys(versions).length === 0 ? {} : { versions }),
    ...(routes.length === 0 ? {} : { routes }),
  };
}

function storableCondition(condition: JsonObject): JsonObject & { readonly type: string } {
  const text = (field: string, maxChars: number): string =>
    shortText(textAt(condition, field), maxChars).toWellFormed();
  const status = text("status", 64);
  return {
    type: text("type", 256),
    ...(status === "" ? {} : { status }),
    reason: text("reason", 256),
    message: text("message", fleetLimits.maxReportMessageChars),
  };
}

function usableRoutes(
  sent: Json | undefined,
  domain: string,
): { readonly routes: readonly JsonObject[]; readonly problem: string | undefined } {
  const { routes, problem } = readRoutes(sent);
  if (problem !== undefined) return { routes: [], problem };
  const foreign = foreignRouter(routes, domain);
  if (foreign !== undefined) {
    return { routes: [], problem: `the router ${foreign} is not below the domain of the cluster` };
  }
  return {
    routes: routes.map(({ name, prefix, router }) => ({ name, prefix, router })),
    problem: undefined,
  };
}

/** By `product` and `operator`, whatever name the agent uses. */
function versionsOf(sent: JsonObject, offering: Offering): JsonObject {
  const { fromWire } = versionNames(offering);
  const { versions } = readReport({ conditions: [], versions: sent });
  return Object.fromEntries(
    Object.entries(versions).map(([key, version]) => [fromWire.get(key) ?? key, version]),
  );
}
