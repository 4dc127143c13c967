// GET /api/v1/metrics/recent: the last hour of this process, for charts. Each process counts its
// own requests and runs; a monitoring system adds up several (docs/reference/engine.md).

import type { Route, RouteAnswer, RouteRequest } from "../../contract/route.ts";
import { forbiddenAccess } from "../../intents/auth/forbidden.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import { timeText } from "../../kernel/clock.ts";
import { numberAt } from "../../kernel/json-read.ts";

type Numbers = readonly (number | undefined)[];

export interface RecentNumbers {
  readonly startedMs: number;
  readonly fromMs: number;
  readonly stepMs: number;
  readonly series: Readonly<Record<string, Numbers>>;
}

export interface RecentPorts {
  readonly authorizer: Authorizer;
  /** The name of this process among those of the store. */
  readonly server: string;
  /** Measures what is due, and reads the numbers. */
  readonly readRecent: (spanMs: number, stepMs: number) => Promise<RecentNumbers>;
}

const maxMinutes = 60;
const leastStepSeconds = 5;
const maxSteps = 720;

/** In the order of the answer: by what a reader looks at first. */
const shown: readonly (readonly [id: string, name: string, unit: string])[] = [
  ["reconcilesPerSecond", "Reconciles", "/s"],
  ["failedPerSecond", "Failed reconciles", "/s"],
  ["startLatencyP99Seconds", "Start latency, 99th percentile", "s"],
  ["startLatencyP50Seconds", "Start latency, median", "s"],
  ["due", "Due resources", ""],
  ["running", "Running reconciles", ""],
  ["requestsPerSecond", "Requests", "/s"],
  ["requestErrorsPerSecond", "Requests that failed", "/s"],
  ["requestP99Seconds", "Request latency, 99th percentile", "s"],
  ["requestP50Seconds", "Request latency, median", "s"],
];

const seriesSchema = {
  type: "object",
  required: ["id", "name", "unit", "values"],
  properties: {
    id: { type: "string", enum: shown.map(([id]) => id) },
    name: { type: "string", description: "For people." },
    unit: { type: "string", enum: ["/s", "s", ""] },
    values: { type: "array", items: { type: ["number", "null"] } },
  },
} as const;

export function recentRoute(ports: RecentPorts): Route {
  return {
    method: "GET",
    path: "/api/v1/metrics/recent",
    summary: "Read the numbers of the last hour of this server process.",
    description:
      "Rates and percentiles of each step, oldest first; the last step is complete. `null` where " +
      "a number is not known, as before the start of the process. Percentiles are exact to a " +
      "tenth. `due` is about all processes, where it was measured; requests include those of all " +
      "surfaces, and latencies no streams. Needs the right to `get` the path `/metrics`.",
    tag: "This server",
    access: { kind: "authenticated" },
    query: {
      type: "object",
      properties: {
        minutes: { type: "integer", minimum: 1, maximum: maxMinutes, default: maxMinutes },
        step: {
          type: "integer",
          minimum: leastStepSeconds,
          maximum: 600,
          default: 30,
          description: "The length of a step in seconds, rounded to a multiple of 5.",
        },
      },
    },
    answers: {
      200: {
        description: "The numbers.",
        schema: {
          type: "object",
          required: ["scope", "server", "from", "stepMs", "series"],
          properties: {
            scope: { type: "string", enum: ["process"] },
            server: { type: "string" },
            startedAt: { type: "string", format: "date-time" },
            from: { type: "string", format: "date-time", description: "Of the first step." },
            stepMs: { type: "integer" },
            series: { type: "array", items: seriesSchema },
          },
        },
      },
    },
    errors: [400, 403],
    handle: (request) => readNumbers(ports, request),
  };
}

async function readNumbers(
  { authorizer, server, readRecent }: RecentPorts,
  { query, caller }: RouteRequest,
): Promise<RouteAnswer> {
  const access = { kind: "path", verb: "get", path: "/metrics" } as const;
  const { allowed, reason } = authorizer.authorize(caller.user, access);
  if (!allowed) throw forbiddenAccess(caller.user, access, reason);
  const spanMs = (numberAt(query, "minutes") ?? maxMinutes) * 60_000;
  const stepMs = (numberAt(query, "step") ?? 30) * 1_000;
  const recent = await readRecent(Math.min(spanMs, maxSteps * stepMs), stepMs);
  const series = shown.map(([id, name, unit]) => {
    const values = (recent.series[id] ?? []).map((value) => rounded(value));
    return { id, name, unit, values };
  });
  return {
    kind: "document",
    status: 200,
    document: {
      scope: "process",
      server,
      startedAt: timeText(recent.startedMs),
      from: timeText(recent.fromMs),
      stepMs: recent.stepMs,
      series,
    },
    headers: { "cache-control": "no-store" },
  };
}

/** More digits than a chart shows would double the size of the answer. */
function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Number(value.toPrecision(4));
}
