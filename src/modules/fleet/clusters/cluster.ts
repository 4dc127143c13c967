// A DataPlaneCluster as the module reads it: the stored document with its defaults. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { textsAt, valueAt, presentObjectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { fleetLimits } from "../limits.ts";
import { forceDeleteAnnotation } from "../names.ts";
import { isClusterPhase } from "./phases.ts";
import type { ClusterPhase } from "./phases.ts";

export interface DataPlaneCluster {
  readonly id: string;
  readonly uid: string;
  readonly generation: number;
  readonly isDeleting: boolean;
  /** The removal waits neither for the executor nor for agents. */
  readonly isForced: boolean;
  readonly phase: ClusterPhase;
  readonly isSchedulable: boolean;
  readonly isDraining: boolean;
  /** Domain of the ingress. */
  readonly dns: string;
  /** Names of Offerings; undefined: all. */
  readonly offerings: readonly string[] | undefined;
  readonly executor: ExecutorSettings;
  readonly report: ClusterReport | undefined;
  /** A ready cluster whose agent is silent for longer counts as not ready. */
  readonly silenceMs: number;
}

export interface ExecutorSettings {
  readonly kind: "register" | "kubernetes" | "simulator";
  readonly kubernetes: JsonObject;
  readonly simulator: JsonObject;
}

/** What the agent says about its cluster. */
export interface ClusterReport {
  readonly atMs: number;
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
  readonly operators: readonly Operator[];
  readonly capacity: ReadonlyMap<string, ReportedCapacity>;
  /** Names of Offerings that the cluster cannot host at present, with the reason. */
  readonly unavailable: ReadonlyMap<string, string>;
}

export interface Operator {
  readonly version: string;
  readonly isReady: boolean;
  /** Versions of the product that it can run. */
  readonly versions: readonly string[];
}

/** Undefined: the agent does not say. */
export interface ReportedCapacity {
  readonly maxUnits: number | undefined;
  readonly remainingUnits: number | undefined;
}

export function readCluster({ metadata, spec, status }: Resource): DataPlaneCluster {
  const phase = textAt(status, "phase");
  const seconds = numberAt(spec, "agentTimeoutSeconds");
  const offerings = valueAt(spec, "offerings");
  return {
    id: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isForced: (metadata.annotations?.[forceDeleteAnnotation] ?? "") !== "",
    phase: isClusterPhase(phase) ? phase : "accepted",
    isSchedulable: valueAt(spec, "isSchedulable") !== false,
    isDraining: isTrueAt(spec, "isDraining"),
    dns: textAt(spec, "dns"),
    offerings: offerings === undefined ? undefined : textsAt(spec, "offerings"),
    executor: executorSettings(objectAt(spec, "executor")),
    report: clusterReport(presentObjectAt(status, "report")),
    silenceMs: seconds === undefined ? fleetLimits.agentSilenceMs : seconds * 1_000,
  };
}

/** An administrator removes the cluster without its agent: what was placed on it is lost. */
export function isAbandoned(resource: Resource): boolean {
  const { isDeleting, isForced } = readCluster(resource);
  return isDeleting && isForced;
}

function executorSettings(given: JsonObject): ExecutorSettings {
  const kind = textAt(given, "kind");
  return {
    kind: kind === "kubernetes" || kind === "simulator" ? kind : "register",
    kubernetes: objectAt(given, "kubernetes"),
    simulator: objectAt(given, "simulator"),
  };
}

function clusterReport(report: JsonObject | undefined): ClusterReport | undefined {
  if (report === undefined) return undefined;
  const atMs = Date.parse(textAt(report, "at"));
  return {
    atMs: Number.isNaN(atMs) ? 0 : atMs,
    isReady: isTrueAt(report, "isReady"),
    reason: textAt(report, "reason"),
    message: textAt(report, "message"),
    operators: objectsAt(report, "operators").map((operator) => ({
      version: textAt(operator, "version"),
      isReady: isTrueAt(operator, "isReady"),
      versions: textsAt(operator, "versions"),
    })),
    capacity: new Map(
      Object.entries(objectAt(report, "capacity")).map(([type, units]) => [
        type,
        {
          maxUnits: numberAt(units, "maxUnits"),
          remainingUnits: numberAt(units, "remainingUnits"),
        },
      ]),
    ),
    unavailable: new Map(
      Object.keys(objectAt(report, "unavailable")).map((offering) => [
        offering,
        textAt(report, "unavailable", offering),
      ]),
    ),
  };
}
