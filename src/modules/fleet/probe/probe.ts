// A Probe as the module reads it: the stored document with its defaults. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import {
  isTrueAt,
  numberAt,
  objectsAt,
  presentObjectAt,
  textAt,
  valueAt,
} from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Offering } from "../offering.ts";

export interface Probe {
  readonly name: string;
  readonly uid: string;
  readonly offering: string;
  readonly organisation: string;
  readonly owner: string;
  /** Undefined: all. */
  readonly regions: readonly ProbePlace[] | undefined;
  /** Undefined: the first that is enabled. */
  readonly type: string | undefined;
  readonly parameters: JsonObject | undefined;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly verify: Verification | undefined;
  readonly isPaused: boolean;
}

export interface ProbePlace {
  readonly provider: string;
  readonly region: string;
}

export interface Verification {
  /** With ${host}. */
  readonly url: string;
  readonly status: number;
  readonly timeoutMs: number;
  readonly ca: string | undefined;
}

/** What is known about the probe of one region, from its status. */
export interface ProbeRun extends ProbePlace {
  readonly sequence: number;
  /** The name of the instance; undefined between two instances. */
  readonly instance: string | undefined;
  readonly startedAtMs: number;
  /** Undefined until the instance is verified or has failed. */
  readonly verdict: Verdict | undefined;
  /** When the deletion was requested. */
  readonly deletingAtMs: number | undefined;
  /** The deletion takes too long, and was counted as a failure. */
  readonly isLate: boolean;
  readonly lastSuccessAtMs: number | undefined;
  readonly lastFailure: { readonly atMs: number; readonly reason: string } | undefined;
  readonly failuresInRow: number;
}

export interface Verdict {
  readonly result: "success" | "failure";
  readonly reason: string;
}

export function readProbe({ metadata, spec }: Resource): Probe {
  const type = textAt(spec, "type");
  return {
    name: metadata.name,
    uid: metadata.uid,
    offering: textAt(spec, "offering"),
    organisation: textAt(spec, "organisation"),
    owner: textAt(spec, "owner"),
    regions: valueAt(spec, "regions") === undefined ? undefined : places(spec),
    type: type === "" ? undefined : type,
    parameters: presentObjectAt(spec, "parameters"),
    intervalMs: (numberAt(spec, "intervalSeconds") ?? 300) * 1_000,
    timeoutMs: (numberAt(spec, "timeoutSeconds") ?? 900) * 1_000,
    verify: verificationOf(presentObjectAt(spec, "verify")),
    isPaused: isTrueAt(spec, "isPaused"),
  };
}

function places(spec: Resource["spec"]): readonly ProbePlace[] {
  return objectsAt(spec, "regions").map((place) => ({
    provider: textAt(place, "provider"),
    region: textAt(place, "region"),
  }));
}

function verificationOf(verify: JsonObject | undefined): Verification | undefined {
  if (verify === undefined) return undefined;
  const ca = textAt(verify, "caBundle");
  return {
    url: textAt(verify, "url"),
    status: numberAt(verify, "status") ?? 200,
    timeoutMs: (numberAt(verify, "timeoutSeconds") ?? 10) * 1_000,
    ca: ca === "" ? undefined : ca,
  };
}

export function typeOf({ type }: Probe, { types }: Offering): string | undefined {
  return type ?? types.find(({ isEnabled }) => isEnabled)?.name;
}

/** Where instances of the type are offered, in the order of the Offering. */
export function regionsOf(probe: Probe, offering: Offering): readonly ProbePlace[] {
  const type = typeOf(probe, offering);
  const offered = offering.providers.flatMap(({ id: provider, isEnabled, regions }) =>
    regions
      .filter((region) => isEnabled && region.isEnabled)
      .filter(({ types }) => types.some(({ name }) => name === type))
      .map(({ id: region }) => ({ provider, region })),
  );
  const { regions } = probe;
  if (regions === undefined) return offered;
  return offered.filter((place) => regions.some((wanted) => isSamePlace(wanted, place)));
}

export function isSamePlace(one: ProbePlace, other: ProbePlace): boolean {
  return one.provider === other.provider && one.region === other.region;
}

export function readRuns({ status }: Pick<Resource, "status">): readonly ProbeRun[] {
  return objectsAt(status, "regions").map((region) => {
    const verdict = textAt(region, "verdict");
    const instance = textAt(region, "instance");
    return {
      provider: textAt(region, "provider"),
      region: textAt(region, "region"),
      sequence: numberAt(region, "sequence") ?? 0,
      instance: instance === "" ? undefined : instance,
      startedAtMs: timeAt(region, "startedAt") ?? 0,
      verdict:
        verdict === "success" || verdict === "failure"
          ? { result: verdict, reason: textAt(region, "reason") }
          : undefined,
      deletingAtMs: timeAt(region, "deletingAt"),
      isLate: isTrueAt(region, "isLate"),
      lastSuccessAtMs: timeAt(region, "lastSuccessAt"),
      lastFailure: failureIn(region),
      failuresInRow: numberAt(region, "failuresInRow") ?? 0,
    };
  });
}

function failureIn(region: JsonObject): ProbeRun["lastFailure"] {
  const atMs = timeAt(region, "lastFailureAt");
  return atMs === undefined ? undefined : { atMs, reason: textAt(region, "lastFailure") };
}

/** Of a region that was never probed. */
export function newRun({ provider, region }: ProbePlace): ProbeRun {
  return {
    provider,
    region,
    sequence: 0,
    instance: undefined,
    startedAtMs: 0,
    verdict: undefined,
    deletingAtMs: undefined,
    isLate: false,
    lastSuccessAtMs: undefined,
    lastFailure: undefined,
    failuresInRow: 0,
  };
}

function timeAt(value: JsonObject, field: string): number | undefined {
  const ms = Date.parse(textAt(value, field));
  return Number.isNaN(ms) ? undefined : ms;
}
