// How long an Environment may exist: its planned destruction, from the creation or from the last
// deployment after a destruction. Pure.

import { timeText } from "../../../kernel/clock.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { forbiddenField, invalidField } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { EnvironmentsConfiguration } from "../configuration.ts";
import { redeployedAnnotation } from "../names.ts";

export interface Lifetime {
  /** Seconds from the creation; 0: none. */
  readonly defaultSeconds: number;
  readonly maximumSeconds: number;
}

/** The strictest of the templates and the configuration. */
export function lifetimeOf(
  templates: readonly JsonObject[],
  configuration: EnvironmentsConfiguration,
): Lifetime {
  const of = (field: string, fallback: number): number => {
    const given = templates.map((spec) => numberAt(spec, "lifetime", field) ?? 0);
    const stated = given.filter((value) => value > 0);
    return stated.length > 0 ? Math.min(...stated) : fallback;
  };
  const maxima = [configuration.maximumLifetimeSeconds, of("maximumSeconds", 0)];
  const positive = maxima.filter((value) => value > 0);
  const maximumSeconds = positive.length === 0 ? 0 : Math.min(...positive);
  const wanted = of("defaultSeconds", configuration.defaultLifetimeSeconds);
  const defaultSeconds = wanted === 0 ? maximumSeconds : wanted;
  const isCut = maximumSeconds > 0 && defaultSeconds > maximumSeconds;
  return { defaultSeconds: isCut ? maximumSeconds : defaultSeconds, maximumSeconds };
}

export function lifetimeErrors(
  spec: JsonObject,
  { maximumSeconds }: Lifetime,
  createdMs: number,
): readonly FieldError[] {
  const at = textAt(spec, "plannedDestruction", "at");
  if (maximumSeconds === 0) return [];
  if (textAt(spec, "plannedDestruction", "onDue") === "Keep") {
    const detail = `must be Destroy: the maximum lifetime is ${maximumSeconds} s`;
    return [forbiddenField("spec.plannedDestruction.onDue", detail)];
  }
  const path = "spec.plannedDestruction.at";
  const latestMs = createdMs + maximumSeconds * 1_000;
  if (at === "") {
    return [forbiddenField(path, `must be set: the maximum lifetime is ${maximumSeconds} s`)];
  }
  if (Date.parse(at) <= latestMs + 1_000) return [];
  const latest = new Date(latestMs).toISOString();
  const detail = `must not be after ${latest}: the maximum lifetime is ${maximumSeconds} s`;
  return [invalidField(path, at, detail)];
}

/** A date that a user states must be in the future: an earlier one is a mistake. */
export function dateErrors(
  spec: JsonObject,
  old: Resource | undefined,
  nowMs: number,
): readonly FieldError[] {
  const at = textAt(spec, "plannedDestruction", "at");
  if (at === "" || at === textAt(old?.spec, "plannedDestruction", "at")) return [];
  if (Date.parse(at) > nowMs) return [];
  const detail = `must be in the future: it is ${timeText(nowMs)}`;
  return [invalidField("spec.plannedDestruction.at", at, detail)];
}

/** Since when the Environment exists; `nowMs` for one that is created. */
export function beganMs(old: Resource | undefined, object: Resource, nowMs: number): number {
  if (old === undefined) return nowMs;
  const { annotations = {}, creationTimestamp } = object.metadata;
  return Date.parse(annotations[redeployedAnnotation] ?? creationTimestamp);
}

/** The spec with the date of the default lifetime; without a date when there is none. */
export function withDefaultDate(
  spec: JsonObject,
  { defaultSeconds }: Lifetime,
  nowMs: number,
): JsonObject {
  const planned = withoutKey(objectAt(spec, "plannedDestruction"), "at");
  if (defaultSeconds > 0) {
    const at = timeText(nowMs + defaultSeconds * 1_000);
    return { ...spec, plannedDestruction: { ...planned, at } };
  }
  if (Object.keys(planned).length === 0) return withoutKey(spec, "plannedDestruction");
  return { ...spec, plannedDestruction: planned };
}
