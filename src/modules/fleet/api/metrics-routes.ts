// The metrics of one instance: a range, the present values, or the present values in the format of
// Prometheus, for the customer's own Prometheus.

import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Offering } from "../offering.ts";
import type { FleetRequest, FleetRoute, FleetRoutePorts } from "./fleet-route.ts";
import {
  exposition,
  instantItem,
  metricQueries,
  queryRange,
  rangeItem,
  seriesOf,
} from "./metrics-queries.ts";
import type { QueryRange, Series } from "./metrics-queries.ts";
import { documentAnswer } from "./page-document.ts";
import { Prometheus, prometheusOf } from "./prometheus.ts";
import { described, objectSchema } from "./schemas.ts";
import { visibleInstance } from "./visible-instance.ts";

const text: JsonObject = { type: "string" };
const tag = "Metrics";
const sample = { timestamp: { type: "integer" }, value: { type: "number" } };
const metric: JsonObject = { type: "object", additionalProperties: text };

export function metricsRoutes(ports: FleetRoutePorts, offering: Offering): readonly FleetRoute[] {
  const prometheus = new Prometheus(ports);
  if (prometheusOf(offering) !== undefined) prometheus.declareCounters(offering.name);
  const { plural } = offering.instances;
  const filters = described(
    { type: "array", items: text },
    "Names of metrics; may be repeated. Default: all.",
  );
  const common = {
    method: "GET",
    tag,
    access: { kind: "member" },
    parameters: { id: "The id of the instance." },
    errors: [400, 401, 403, 404, 503],
  } as const;
  return [
    {
      ...common,
      path: `/${plural}/{id}/metrics/query_range`,
      summary: "Read the metrics of an instance in a range of time.",
      query: objectSchema({
        duration: described({ type: "integer" }, "Minutes from the begin of the range until now."),
        interval: described({ type: "integer" }, "Seconds between two values."),
        filters,
      }),
      answers: { 200: { description: "Series of values.", schema: rangeSchema } },
      handle: async (request) => {
        const range = queryRange(request.query);
        const { id, series } = await seriesFor(ports, prometheus, request, range);
        const items = series.map(rangeItem);
        return documentAnswer({ kind: "MetricsRangeQueryList", id, items });
      },
    },
    {
      ...common,
      path: `/${plural}/{id}/metrics/query`,
      summary: "Read the present metrics of an instance.",
      query: objectSchema({ filters }),
      answers: { 200: { description: "Values.", schema: instantSchema } },
      handle: async (request) => {
        const { id, series } = await seriesFor(ports, prometheus, request, undefined);
        const items = series.map(instantItem).filter((item) => item !== undefined);
        return documentAnswer({ kind: "MetricsInstantQueryList", id, items });
      },
    },
    {
      ...common,
      path: `/${plural}/{id}/metrics/federate`,
      summary: "Read the present metrics of an instance in the format of Prometheus.",
      answers: {
        200: {
          description: "The text format of Prometheus.",
          schema: { type: "string", contentMediaType: "text/plain" },
        },
      },
      handle: async (request) => {
        const { series } = await seriesFor(ports, prometheus, request, undefined);
        return {
          kind: "text",
          status: 200,
          contentType: "text/plain; version=0.0.4; charset=utf-8",
          text: exposition(series),
        };
      },
    },
  ];
}

const rangeSchema = objectSchema({
  kind: text,
  id: text,
  items: {
    type: "array",
    items: objectSchema({ metric, values: { type: "array", items: objectSchema(sample) } }),
  },
});

const instantSchema = objectSchema({
  kind: text,
  id: text,
  items: { type: "array", items: objectSchema({ metric, ...sample }) },
});

async function seriesFor(
  ports: FleetRoutePorts,
  prometheus: Prometheus,
  request: FleetRequest,
  range: QueryRange | undefined,
): Promise<{ readonly id: string; readonly series: readonly Series[] }> {
  const { offering, query, signal } = request;
  const { resource } = await visibleInstance(ports, request);
  const queries = metricQueries(offering, resource, query.all("filters"));
  const base = prometheusOf(offering);
  if (base === undefined) throw noBackend(offering);
  const token = await tokenOf(ports, offering);
  const nowMs = ports.clock.nowMs();
  const answers = await Promise.all(
    queries.map(async ({ name, query: expression }) => {
      const asked = {
        offering: offering.name,
        query: expression,
        range,
        nowMs,
        token,
        signal,
      };
      return seriesOf(offering, name, await prometheus.ask(base, asked));
    }),
  );
  return { id: textAt(resource.spec, "id"), series: answers.flat() };
}

async function tokenOf(
  { store }: FleetRoutePorts,
  { metrics }: Offering,
): Promise<string | undefined> {
  const key = presentObjectAt(metrics, "prometheus", "token");
  if (key === undefined) return undefined;
  const [namespace, name] = [textAt(key, "namespace"), textAt(key, "name")];
  const record = await store.get({ kind: "secrets", namespace, name });
  const secret: Resource | undefined =
    record === undefined ? undefined : decodeDocument(record.body, record.revision);
  const value = textAt(secret, "data", textAt(key, "key"));
  if (value !== "") return Buffer.from(value, "base64").toString("utf8");
  const message = "the metrics are not available: the Secret with the token is missing";
  throw new SetpointError("fleet.metrics_unavailable", message);
}

function noBackend({ displayName }: Offering): SetpointError {
  const message = `${displayName} has no metrics: its Offering has no spec.metrics.prometheus`;
  return new SetpointError("fleet.metrics_unavailable", message);
}
