// Metrics of one instance: which queries are sent to Prometheus, and what is shown of its answers.
// Labels that are not in the list of the Offering never leave the server, since they name clusters
// and nodes. Pure.

import { SetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { getOwn } from "../../../kernel/json.ts";
import { listAt, objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import type { FleetQuery } from "./fleet-route.ts";

/** The text of the query is complete: the instance is filled in. */
export interface MetricQuery {
  readonly name: string;
  readonly query: string;
}

/** Those of the Offering that the request selects; all without `filters`. */
export function metricQueries(
  { metrics }: Offering,
  instance: Resource,
  filters: readonly string[],
): readonly MetricQuery[] {
  const all = objectsAt(metrics, "queries");
  const names = all.map((query) => textAt(query, "name"));
  const unknown = filters.find((filter) => !names.includes(filter));
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown.slice(0, 100));
    throw badParameter("filters", `${shown} is not a metric: use some of ${names.join(", ")}`);
  }
  return all
    .filter((query) => filters.length === 0 || filters.includes(textAt(query, "name")))
    .map((query) => ({
      name: textAt(query, "name"),
      query: filledIn(textAt(query, "query"), instance),
    }));
}

/** `${id}`, `${name}`, `${namespace}` and `${cluster}` in a query are those of the instance. */
function filledIn(query: string, { metadata, spec, status }: Resource): string {
  const values: Readonly<Record<string, string>> = {
    id: textAt(spec, "id"),
    name: metadata.name,
    namespace: textAt(status, "namespace"),
    cluster: textAt(status, "placement", "cluster"),
  };
  return query.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => {
    return Object.hasOwn(values, name) ? labelText(values[name] ?? "") : whole;
  });
}

/** Inside the quotes of a label value. */
function labelText(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

export interface QueryRange {
  readonly durationSeconds: number;
  readonly intervalSeconds: number;
}

/** Both parameters are required. Throws request.invalid, whose number is 21. */
export function queryRange(query: FleetQuery): QueryRange {
  const minutes = integerOf(query, "duration", fleetLimits.maxMetricMinutes);
  const intervalSeconds = integerOf(query, "interval", fleetLimits.maxMetricIntervalSeconds);
  const durationSeconds = minutes * 60;
  if (durationSeconds / intervalSeconds > fleetLimits.maxMetricPoints) {
    const most = `more than ${fleetLimits.maxMetricPoints} points in the duration`;
    throw badParameter("interval", `gives ${most}: use a longer interval`);
  }
  return { durationSeconds, intervalSeconds };
}

function integerOf(query: FleetQuery, name: string, most: number): number {
  const text = query.get(name) ?? "";
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw badParameter(name, `is required: a whole number from 1 to ${most}`);
}

export function badParameter(name: string, problem: string): SetpointError {
  return new SetpointError("request.invalid", `${name}: ${problem}`, {
    details: { field: `query.${name}` },
  });
}

/** One time series of an answer of Prometheus, with the labels that customers see. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

export function seriesOf({ metrics }: Offering, name: string, answer: Json): readonly Series[] {
  const allowed = textsAt(metrics, "labels");
  return objectsAt(answer, "data", "result").map((result) => ({
    labels: shownLabels(objectAt(result, "metric"), name, allowed),
    samples: [listAt(result, "value"), ...listAt(result, "values")].flatMap(sampleOf),
  }));
}

function shownLabels(
  labels: JsonObject,
  name: string,
  allowed: readonly string[],
): Readonly<Record<string, string>> {
  const shown = allowed.flatMap((label) => {
    const value = getOwn(labels, label);
    return typeof value === "string" ? [[label, value] as const] : [];
  });
  return { __name__: name, ...Object.fromEntries(shown) };
}

/** A value that JSON cannot have, such as NaN, is left out. */
function sampleOf(pair: Json): readonly Sample[] {
  const [seconds, text] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
  if (typeof seconds !== "number" || typeof text !== "string") return [];
  const value = Number(text);
  return Number.isFinite(value) ? [{ atMs: Math.round(seconds * 1_000), value }] : [];
}

export function rangeItem({ labels, samples }: Series): JsonObject {
  return {
    metric: labels,
    values: samples.map(({ atMs, value }) => ({ timestamp: atMs, value })),
  };
}

/** Undefined for a series without a value. */
export function instantItem({ labels, samples }: Series): JsonObject | undefined {
  const [sample] = samples;
  if (sample === undefined) return undefined;
  return { metric: labels, timestamp: sample.atMs, value: sample.value };
}

/** The text format of Prometheus, in which all series of a metric follow each other. */
export function exposition(all: readonly Series[]): string {
  const names = [...new Set(all.map(({ labels }) => labels["__name__"] ?? ""))];
  const blocks = names.map((name) => {
    const own = all.filter(({ labels }) => labels["__name__"] === name).flatMap(sampleLine);
    return [`# TYPE ${name} untyped`, ...own].map((line) => `${line}\n`).join("");
  });
  return blocks.join("");
}

function sampleLine({ labels, samples }: Series): readonly string[] {
  const { __name__: name = "", ...others } = labels;
  const pairs = Object.entries(others).map(([label, value]) => `${label}="${labelText(value)}"`);
  const inside = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
  return samples.slice(0, 1).map(({ atMs, value }) => `${name}${inside} ${value} ${atMs}`);
}
