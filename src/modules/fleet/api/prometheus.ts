// Sends queries to the Prometheus of an Offering, through the HTTP port. Its answers and failures
// are never shown as they are: they name internal hosts.

import type { HttpClient } from "../../../adapters/http/port.ts";
import type { ProcessPorts } from "../../../contract/ports.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Json } from "../../../kernel/json.ts";
import { presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import { parseJson } from "../../../kernel/strict-json.ts";
import { fleetLimits } from "../limits.ts";
import { fleetMetric } from "../metrics.ts";
import type { Offering } from "../offering.ts";
import type { QueryRange } from "./metrics-queries.ts";

export interface PrometheusQuery {
  /** The name of the Offering. */
  readonly offering: string;
  readonly query: string;
  readonly range: QueryRange | undefined;
  readonly nowMs: number;
  /** Undefined: no credentials are sent. */
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

/** Undefined when the Offering has no back end. */
export function prometheusOf({ metrics }: Offering): URL | undefined {
  const url = textAt(presentObjectAt(metrics, "prometheus"), "url");
  return URL.canParse(url) ? new URL(url) : undefined;
}

export type PrometheusPorts = Pick<ProcessPorts, "openHttp" | "clock" | "meter">;

export class Prometheus {
  readonly #ports: PrometheusPorts;
  #client: HttpClient | undefined;

  constructor(ports: PrometheusPorts) {
    this.#ports = ports;
  }

  /** A counter without a series would hide the first requests from a rate. */
  declareCounters(offering: string): void {
    for (const path of ["query", "query_range"]) {
      for (const code of ["200", noAnswer]) this.#count({ offering, path, code }, 0);
    }
  }

  /** The body of the answer. Throws fleet.metrics_unavailable. */
  async ask(base: URL, asked: PrometheusQuery): Promise<Json> {
    const { token, signal } = asked;
    const { openHttp, clock, meter } = this.#ports;
    this.#client ??= openHttp({ maxConnections: fleetLimits.maxMetricConnections });
    const startedMs = clock.nowMs();
    const answer = await this.#client.send({
      place: { kind: "origin", origin: base.origin },
      method,
      target: targetOf(base, asked),
      headers: {
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      timeouts: { totalMs: fleetLimits.metricTimeoutMs },
      maxBytes: fleetLimits.maxMetricBytes,
      signal,
    });
    const code = answer.kind === "answer" ? String(answer.status) : noAnswer;
    const labels = { offering: asked.offering, path: pathOf(asked), code };
    this.#count(labels, 1);
    const seconds = Math.max(0, clock.nowMs() - startedMs) / 1_000;
    meter.observe(fleetMetric.observatoriumSeconds, seconds, { ...labels, method });
    if (answer.kind !== "answer") throw unavailable("Prometheus did not answer", answer.reason);
    if (answer.status !== 200) {
      throw unavailable(`Prometheus answered ${answer.status}`, answer.body.toString("utf8"));
    }
    return bodyOf(answer.body);
  }

  #count(labels: Readonly<Record<string, string>>, by: number): void {
    this.#ports.meter.count(fleetMetric.observatoriumRequests, { ...labels, method }, by);
  }
}

const method = "GET";
/** The label `code` of requests without an answer. */
const noAnswer = "0";

function pathOf({ range }: PrometheusQuery): string {
  return range === undefined ? "query" : "query_range";
}

function bodyOf(bytes: Buffer): Json {
  try {
    return parseJson(bytes, { strict: false }).value;
  } catch (error) {
    throw unavailable("Prometheus did not answer with JSON", String(error));
  }
}

function targetOf(base: URL, asked: PrometheusQuery): string {
  const { query, range, nowMs } = asked;
  const seconds = nowMs / 1_000;
  const parameters =
    range === undefined
      ? { query, time: String(seconds) }
      : {
          query,
          start: String(seconds - range.durationSeconds),
          end: String(seconds),
          step: String(range.intervalSeconds),
        };
  const root = base.pathname.replace(/\/$/, "");
  return `${root}/api/v1/${pathOf(asked)}?${new URLSearchParams(parameters).toString()}`;
}

function unavailable(problem: string, cause: string): SetpointError {
  const message = `the metrics are not available: ${problem}`;
  return new SetpointError("fleet.metrics_unavailable", message, {
    cause: new Error(cause.slice(0, 1_000)),
  });
}
