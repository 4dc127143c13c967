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

const numbers = (description: string): object => ({
  type: "array",
  items: { type: ["number", "null"] },
  description,
});

const series = {
  reconcilesPerSecond: numbers("Runs that ended."),
  failedPerSecond: numbers("Runs that failed."),
  startLatencyP50Seconds: numbers("Median time from due to the start of a run."),
  startLatencyP99Seconds: numbers("The 99th percentile of it."),
  running: numbers("The largest number of runs in progress."),
  due: numbers("Due resources of all processes, where they were measured."),
  requestsPerSecond: numbers("Requests of all surfaces, without the files of the console."),
  requestErrorsPerSecond: numbers("Requests that were answered with 5xx."),
  requestP50Seconds: numbers("Median duration of requests, without watches and streams."),
  requestP99Seconds: numbers("The 99th percentile of it."),
};

export function recentRoute(ports: RecentPorts): Route {
  return {
    method: "GET",
    path: "/api/v1/metrics/recent",
    summary: "Read the numbers of the last hour of this server process.",
    description:
      "Rates and percentiles of each step, oldest first; the last step is complete. `null` where " +
      "a number is not known, as before the start of the process. Percentiles are exact to a " +
      "tenth. Needs the right to `get` the path `/metrics`.",
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
          required: ["scope", "server", "from", "stepSeconds", "series"],
          properties: {
            scope: { type: "string", enum: ["process"] },
            server: { type: "string" },
            startedAt: { type: "string", format: "date-time" },
            from: { type: "string", format: "date-time", description: "Of the first step." },
            stepSeconds: { type: "integer" },
            series: { type: "object", properties: series as never },
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
  const shown = Object.entries(recent.series).map(
    ([name, values]) => [name, values.map((value) => rounded(value))] as const,
  );
  return {
    kind: "document",
    status: 200,
    document: {
      scope: "process",
      server,
      startedAt: timeText(recent.startedMs),
      from: timeText(recent.fromMs),
      stepSeconds: recent.stepMs / 1_000,
      series: Object.fromEntries(shown),
    },
    headers: { "cache-control": "no-store" },
  };
}

/** More digits than a chart shows would double the size of the answer. */
function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Number(value.toPrecision(4));
}
