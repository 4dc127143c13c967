// Sends queries to the Prometheus of an Offering, through the HTTP port. Its answers and failures
// are never shown as they are: they name internal hosts.

import type { HttpClient, OpenHttp } from "../../../adapters/http/port.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Json } from "../../../kernel/json.ts";
import { presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import { parseJson } from "../../../kernel/strict-json.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import type { QueryRange } from "./metrics-queries.ts";

export interface PrometheusQuery {
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

export class Prometheus {
  readonly #openHttp: OpenHttp;
  #client: HttpClient | undefined;

  constructor(openHttp: OpenHttp) {
    this.#openHttp = openHttp;
  }

  /** The body of the answer. Throws fleet.metrics_unavailable. */
  async ask(base: URL, asked: PrometheusQuery): Promise<Json> {
    const { token, signal } = asked;
    this.#client ??= this.#openHttp({ maxConnections: fleetLimits.maxMetricConnections });
    const answer = await this.#client.send({
      place: { kind: "origin", origin: base.origin },
      method: "GET",
      target: targetOf(base, asked),
      headers: {
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      timeouts: { totalMs: fleetLimits.metricTimeoutMs },
      maxBytes: fleetLimits.maxMetricBytes,
      signal,
    });
    if (answer.kind !== "answer") throw unavailable("Prometheus did not answer", answer.reason);
    if (answer.status !== 200) {
      throw unavailable(`Prometheus answered ${answer.status}`, answer.body.toString("utf8"));
    }
    return bodyOf(answer.body);
  }
}

function bodyOf(bytes: Buffer): Json {
  try {
    return parseJson(bytes, { strict: false }).value;
  } catch (error) {
    throw unavailable("Prometheus did not answer with JSON", String(error));
  }
}

function targetOf(base: URL, { query, range, nowMs }: PrometheusQuery): string {
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
  const path = range === undefined ? "query" : "query_range";
  const root = base.pathname.replace(/\/$/, "");
  return `${root}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`;
}

function unavailable(problem: string, cause: string): SetpointError {
  const message = `the metrics are not available: ${problem}`;
  return new SetpointError("fleet.metrics_unavailable", message, {
    cause: new Error(cause.slice(0, 1_000)),
  });
}
