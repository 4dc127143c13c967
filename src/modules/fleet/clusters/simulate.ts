// A simulated data plane for demonstrations and tests: what an agent would report about an instance
// at a time. The same input always gives the same report. Pure.

import { hash } from "node:crypto";
import type { JsonObject } from "../../../kernel/json.ts";
import { equalJson } from "../../../kernel/json.ts";
import { isTrueAt, listAt, numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { textsAt, valueAt } from "../../../kernel/json-read.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { currentReport } from "./managed-instance.ts";
import type { ManagedInstance } from "./managed-instance.ts";

export interface SimulatorInput {
  readonly instance: ManagedInstance;
  /** `spec.executor.simulator` of the cluster. */
  readonly settings: JsonObject;
  /** Domain of the ingress of the cluster. */
  readonly domain: string;
  readonly nowMs: number;
}

export interface Simulated {
  /** Undefined: the last report is still true. */
  readonly report: JsonObject | undefined;
  /** When to ask again; undefined: when the instance changes. */
  readonly againMs: number | undefined;
}

const nothing: Simulated = { report: undefined, againMs: undefined };

export function simulate(input: SimulatorInput): Simulated {
  const { instance, settings, nowMs } = input;
  const failure = failureOf(instance, settings);
  if (textAt(failure, "result") === "silent") return nothing;
  const last = currentReport(instance);
  if (instance.deletedAtMs !== undefined) {
    const endMs = instance.deletedAtMs + (numberAt(settings, "deleteMs") ?? 0);
    return nowMs < endMs ? later(endMs - nowMs) : told(input, deleted);
  }
  const installMs = numberAt(settings, "installMs") ?? 0;
  if (last === undefined && installMs > 0) return told(input, installing, installMs);
  if (reasonOf(last) === "Installing") {
    const endMs = Date.parse(textAt(last, "at")) + installMs;
    if (nowMs < endMs) return later(endMs - nowMs);
  }
  if (failure !== undefined) {
    const retryMs = isTrueAt(failure, "isOnce") ? Math.max(installMs, onceMs) : undefined;
    return told(input, failureReport(failure), retryMs);
  }
  return updated(input, last);
}

/** Until an instance that failed once is looked at again. */
const onceMs = 1_000;

/** The cluster report of the simulated agent. */
export function simulatedClusterReport(settings: JsonObject): JsonObject {
  const isReady = valueAt(settings, "isReady") !== false;
  const operators = objectsAt(settings, "operators");
  return {
    isReady,
    reason: isReady ? "Simulated" : "SimulatedNotReady",
    message: "the data plane is simulated",
    operators: operators.length > 0 ? operators.map(readyOperator) : [defaultOperator],
    capacity: valueAt(settings, "capacity") ?? {},
  };
}

const defaultOperator = { version: "1.0.0", isReady: true, versions: ["1.0.0"] };

function readyOperator(operator: JsonObject): JsonObject {
  return { isReady: true, ...operator };
}

/** A change of versions takes its time; during it the instance is usable. */
function updated(input: SimulatorInput, last: JsonObject | undefined): Simulated {
  const { instance, settings, nowMs } = input;
  const { versions, isSuspended } = instance;
  const routes = routesOf(input);
  if (isSuspended) return told(input, { ...condition("False", "Suspended"), versions, routes });
  const before = valueAt(last, "versions");
  const updateMs = numberAt(settings, "updateMs") ?? 0;
  if (updateMs > 0 && before !== undefined && !equalJson(before, versions)) {
    const isOperator = !equalJson(
      valueAt(before, "operator") ?? null,
      versions["operator"] ?? null,
    );
    const reason = isOperator ? "OperatorUpdating" : "ProductUpdating";
    if (!reasonOf(last).endsWith("Updating")) {
      return told(input, { ...condition("True", reason), versions: before, routes }, updateMs);
    }
    const endMs = Date.parse(textAt(last, "at")) + updateMs;
    if (nowMs < endMs) return later(endMs - nowMs);
  }
  return told(input, { ...condition("True", "Running"), versions, routes });
}

function routesOf({ settings, domain }: SimulatorInput): readonly JsonObject[] {
  const given = listAt(settings, "routes");
  const prefixes = given.length === 0 ? [""] : textsAt(settings, "routes");
  return prefixes.map((prefix) => ({
    name: prefix === "" ? "default" : prefix,
    prefix,
    router: `router.${domain}`,
  }));
}

/** The report, if it differs from the last one in more than its time. */
function told(input: SimulatorInput, parts: JsonObject, againMs?: number): Simulated {
  const { instance, nowMs } = input;
  const { placementId, report: last } = instance;
  const report = { placementId, ...parts };
  const isSame = last !== undefined && equalJson(withoutKey(last, "at"), report);
  const at = new Date(nowMs).toISOString();
  return { report: isSame ? undefined : { ...report, at }, againMs };
}

function later(againMs: number): Simulated {
  return { report: undefined, againMs };
}

function condition(status: string, reason: string, message = ""): JsonObject {
  return { conditions: [{ type: "Ready", status, reason, message }] };
}

const deleted = condition("False", "Deleted");
const installing = condition("False", "Installing", "the instance is being installed");

function reasonOf(report: JsonObject | undefined): string {
  return textAt(objectsAt(report, "conditions")[0], "reason");
}

/** The first failure that is meant for this placement. */
function failureOf(instance: ManagedInstance, settings: JsonObject): JsonObject | undefined {
  return objectsAt(settings, "failures").find((failure) => {
    const names = textsAt(failure, "names");
    if (names.length > 0 && !names.some((name) => isMatch(name, instance.name))) return false;
    const fraction = numberAt(failure, "fraction") ?? 1;
    if (shareOf(`${instance.id}/${instance.placementId}`) >= fraction) return false;
    const reason = reasonOf(instance.report);
    return !isTrueAt(failure, "isOnce") || !hasFailed(reason);
  });
}

function hasFailed(reason: string): boolean {
  return !["", "Installing"].includes(reason);
}

/** From 0 to 1, evenly spread over texts. */
function shareOf(text: string): number {
  return Number.parseInt(hash("sha256", text, "hex").slice(0, 8), 16) / 2 ** 32;
}

function isMatch(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? "";
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}

function failureReport(failure: JsonObject): JsonObject {
  const message = textAt(failure, "message");
  switch (textAt(failure, "result")) {
    case "full":
      return condition("False", "Rejected", message || "Cluster has insufficient resources");
    case "rejected":
      return condition("False", "Rejected", message || "rejected by the simulator");
    default:
      return condition("False", "Error", message || "failed by the simulator");
  }
}
