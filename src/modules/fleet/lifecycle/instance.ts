// An instance as the life cycle reads it. Pure.

import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { acceptRoutesAnnotation, forceDeleteAnnotation, organisationOf } from "../names.ts";
import { isPhase } from "./phases.ts";
import type { Phase } from "./phases.ts";

export interface Instance {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly organisation: string;
  readonly owner: string;
  readonly provider: string;
  readonly region: string;
  readonly isMultiAz: boolean;
  readonly type: string;
  readonly traits: readonly string[];
  readonly parameters: JsonObject;
  readonly createdAtMs: number;
  readonly isForced: boolean;
  /** What an administrator asks for. */
  readonly assigned: {
    readonly cluster: string | undefined;
    readonly versions: JsonObject;
    readonly expiresAtMs: number | undefined;
    readonly suspension: string | undefined;
  };
  readonly phase: Phase;
  readonly phaseSinceMs: number;
  /** From when the time to become ready counts: the creation, or the last move. */
  readonly budgetSinceMs: number;
  /** Whether its preparations were complete once, so that the agent may have it. */
  readonly wasProvisioned: boolean;
  /** Undefined: the instance waits for a cluster. */
  readonly placement: InstancePlacement | undefined;
  readonly attempts: number;
  readonly placedAtMs: number;
  /** Clusters that rejected the instance because they are full. */
  readonly refusedBy: readonly string[];
  readonly host: string;
  readonly routes: readonly InstanceRoute[];
  readonly routesFrom: string;
  /** The annotation that accepts other routes, and its value when routes were last stored. */
  readonly acceptRoutes: { readonly wanted: string; readonly done: string };
  readonly isRouted: boolean;
  readonly leaving: readonly string[];
  /** What the placement chose. */
  readonly desiredVersions: JsonObject;
  readonly deniedAtMs: number | undefined;
  readonly expiredAtMs: number | undefined;
  readonly failedReason: string;
}

export interface InstancePlacement {
  readonly cluster: string;
  readonly placementId: string;
}

export interface InstanceRoute {
  readonly name: string;
  readonly domain: string;
  readonly router: string;
}

export function readInstance({ metadata, spec, status }: Resource): Instance {
  const { name, namespace = "", uid, creationTimestamp, annotations = {} } = metadata;
  const createdAtMs = Date.parse(creationTimestamp);
  const phase = textAt(status, "phase");
  return {
    id: textAt(spec, "id"),
    name,
    namespace,
    uid,
    organisation: organisationOf(namespace) ?? "",
    owner: textAt(spec, "owner"),
    provider: textAt(spec, "cloudProvider"),
    region: textAt(spec, "region"),
    isMultiAz: isTrueAt(spec, "multiAz"),
    type: textAt(spec, "type"),
    traits: textsAt(spec, "traits"),
    parameters: objectAt(spec, "parameters"),
    createdAtMs,
    isForced: (annotations[forceDeleteAnnotation] ?? "") !== "",
    assigned: {
      cluster: optional(textAt(spec, "cluster")),
      versions: objectAt(spec, "versions"),
      expiresAtMs: timeAt(spec, "expiresAt"),
      suspension: optional(textAt(spec, "suspension", "reason")),
    },
    phase: isPhase(phase) ? phase : "accepted",
    phaseSinceMs: timeAt(status, "phaseSince") ?? createdAtMs,
    budgetSinceMs: timeAt(status, "budgetSince") ?? createdAtMs,
    wasProvisioned: timeAt(status, "enteredProvisioningAt") !== undefined,
    placement: placementOf(objectAt(status, "placement")),
    attempts: numberAt(status, "placement", "attempts") ?? 0,
    placedAtMs: timeAt(objectAt(status, "placement"), "at") ?? 0,
    refusedBy: textsAt(status, "placement", "refusedBy"),
    host: textAt(status, "host"),
    routes: objectsAt(status, "routes").map((route) => ({
      name: textAt(route, "name"),
      domain: textAt(route, "domain"),
      router: textAt(route, "router"),
    })),
    routesFrom: textAt(status, "routesFrom"),
    acceptRoutes: {
      wanted: (annotations[acceptRoutesAnnotation] ?? "").slice(0, 200),
      done: textAt(status, "routesAccepted"),
    },
    isRouted: isTrueAt(status, "routesCreated"),
    leaving: textsAt(status, "leaving"),
    desiredVersions: objectAt(status, "desiredVersions"),
    deniedAtMs: timeAt(status, "deniedAt"),
    expiredAtMs: timeAt(status, "expiredAt"),
    failedReason: textAt(status, "failedReason"),
  };
}

/** Whether the agent may have the instance: an instance that failed before is not given to it. */
export function isHandedOver({ phase, wasProvisioned }: Instance): boolean {
  return wasProvisioned && phase !== "accepted" && phase !== "preparing";
}

/** What the instance should run: what an administrator asks for, else what placement chose. */
export function wantedVersions({ assigned, desiredVersions }: Instance): JsonObject {
  return { ...desiredVersions, ...assigned.versions };
}

function placementOf(placement: JsonObject): InstancePlacement | undefined {
  const cluster = textAt(placement, "cluster");
  if (cluster === "") return undefined;
  return { cluster, placementId: textAt(placement, "placementId") };
}

function timeAt(value: Json | undefined, field: string): number | undefined {
  const ms = Date.parse(textAt(value, field));
  return Number.isNaN(ms) ? undefined : ms;
}

function optional(text: string): string | undefined {
  return text === "" ? undefined : text;
}
