// A Rollout as the module reads it: the stored document with its defaults. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import {
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  valueAt,
} from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { isRolloutPhase } from "./phases.ts";
import type { RolloutPhase } from "./phases.ts";

export interface Rollout {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly offering: string;
  readonly selector: RolloutSelector;
  readonly versions: Versions;
  readonly waves: readonly Wave[];
  readonly gates: Gates;
  readonly onFailure: "pause" | "rollback";
  readonly action: RolloutAction;
  /** PROVIDER/REGION/TYPE of what may be selected: see scope.ts. */
  readonly scope: readonly string[];
  readonly progress: Progress;
}

/** By component, such as `product` and `operator`. */
export type Versions = Readonly<Record<string, string>>;

export type RolloutAction = "run" | "pause" | "rollback" | "abort";

/** Undefined: all. */
export interface RolloutSelector {
  readonly providers: readonly string[] | undefined;
  readonly regions: readonly string[] | undefined;
  readonly clusters: readonly string[] | undefined;
  readonly types: readonly string[] | undefined;
  readonly organisations: readonly string[] | undefined;
  readonly traits: readonly string[] | undefined;
}

export interface Wave {
  readonly percent: number | undefined;
  readonly count: number | undefined;
  readonly maxUnavailable: number;
  readonly soakMs: number;
}

export interface Gates {
  /** Undefined: no bound on the number. */
  readonly maxFailed: number | undefined;
  readonly maxFailedPercent: number | undefined;
  readonly notReadyMs: number;
  /** CEL. */
  readonly condition: string | undefined;
}

/** What is known from earlier runs; everything else follows from the instances. */
export interface Progress {
  readonly phase: RolloutPhase;
  /** From 1. */
  readonly wave: number;
  /** When every instance of the wave was settled; the soak time starts then. */
  readonly waveDoneAtMs: number | undefined;
  /** The generation at which a gate failed: a newer one continues. */
  readonly pausedGeneration: number | undefined;
}

export function readRollout({ metadata, spec, status }: Resource): Rollout {
  const onFailure = textAt(spec, "onFailure");
  return {
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation,
    offering: textAt(spec, "offering"),
    selector: selectorOf(objectAt(spec, "selector")),
    versions: versionsAt(spec, "versions"),
    waves: objectsAt(spec, "waves").map(waveOf),
    gates: gatesOf(objectAt(spec, "gates")),
    onFailure: onFailure === "rollback" ? "rollback" : "pause",
    action: actionOf(textAt(spec, "action")),
    scope: textsAt(spec, "scope"),
    progress: progressOf(objectAt(status)),
  };
}

/** The texts of an object, without its other values. */
export function versionsAt(value: Resource["spec"], ...path: readonly string[]): Versions {
  const entries = Object.entries(objectAt(value, ...path));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function selectorOf(selector: JsonObject): RolloutSelector {
  const texts = (key: string): readonly string[] | undefined =>
    valueAt(selector, key) === undefined ? undefined : textsAt(selector, key);
  return {
    providers: texts("providers"),
    regions: texts("regions"),
    clusters: texts("clusters"),
    types: texts("types"),
    organisations: texts("organisations"),
    traits: texts("traits"),
  };
}

function waveOf(wave: JsonObject): Wave {
  return {
    percent: numberAt(wave, "percent"),
    count: numberAt(wave, "count"),
    maxUnavailable: numberAt(wave, "maxUnavailable") ?? 1,
    soakMs: (numberAt(wave, "soakSeconds") ?? 0) * 1_000,
  };
}

function gatesOf(gates: JsonObject): Gates {
  const maxFailedPercent = numberAt(gates, "maxFailedPercent");
  const condition = textAt(gates, "condition");
  return {
    // Without any bound, the first failure is one too many.
    maxFailed: numberAt(gates, "maxFailed") ?? (maxFailedPercent === undefined ? 0 : undefined),
    maxFailedPercent,
    notReadyMs: (numberAt(gates, "notReadySeconds") ?? 600) * 1_000,
    condition: condition === "" ? undefined : condition,
  };
}

function actionOf(action: string): RolloutAction {
  return action === "pause" || action === "rollback" || action === "abort" ? action : "run";
}

function progressOf(status: JsonObject): Progress {
  const phase = textAt(status, "phase");
  const doneAtMs = Date.parse(textAt(status, "waveDoneAt"));
  return {
    phase: isRolloutPhase(phase) ? phase : "progressing",
    wave: Math.max(1, numberAt(status, "wave") ?? 1),
    waveDoneAtMs: Number.isNaN(doneAtMs) ? undefined : doneAtMs,
    pausedGeneration: numberAt(status, "pausedGeneration"),
  };
}
