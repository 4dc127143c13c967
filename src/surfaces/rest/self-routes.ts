// /api/v1/self: what this server is and how it is. Probes and balancers have no credentials, so
// these routes are public; they name checks and reasons, and no resource.

import type { Route, RouteAnswer } from "../../contract/route.ts";
import { timeText } from "../../kernel/clock.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";

export interface Build {
  readonly version: string;
  /** The commit; absent where it is not known. */
  readonly revision?: string;
  readonly builtAt?: string;
}

export interface CheckResult {
  readonly name: string;
  /** Undefined when the check passes. */
  readonly problem: string | undefined;
  /** The server is not ready while it fails. */
  readonly isRequired: boolean;
}

export type ReadHealth = (endpoint: "livez" | "readyz") => Promise<readonly CheckResult[]>;

export interface SelfPorts {
  readonly clock: Clock;
  /** When configuration, migrations and modules were ready. */
  readonly startedMs: number;
  readonly readBuild: () => Promise<Build>;
  readonly readHealth: ReadHealth;
}

const text = { type: "string" };
const time = { type: "string", format: "date-time" };

const checkSchema = {
  type: "object",
  required: ["name"],
  properties: {
    name: text,
    status: { type: "string", enum: ["passed", "failed"] },
    required: { type: "boolean", description: "The server is not ready while the check fails." },
    description: { ...text, description: "Why the check fails." },
    timestamp: time,
  },
};

const healthSchema = {
  type: "object",
  required: ["status", "timestamp", "checks"],
  properties: {
    status: { type: "string", enum: ["passed", "failed"] },
    timestamp: time,
    checks: { type: "array", items: checkSchema },
  },
};

const typeQuery = {
  type: "object",
  properties: {
    type: {
      type: "string",
      enum: ["summary", "detailed"],
      default: "summary",
      description: "`summary` lists the names of the checks, `detailed` also their results.",
    },
  },
};

export function selfRoutes(ports: SelfPorts): readonly Route[] {
  const route = (word: string, rest: Omit<Route, "method" | "path" | "tag" | "access">): Route => ({
    method: "GET",
    path: `/api/v1/self/${word}`,
    tag: "This server",
    access: { kind: "public" },
    ...rest,
  });
  return [
    route("info", {
      summary: "Read version, revision and build time of the server.",
      answers: { 200: { description: "The build.", schema: buildSchema } },
      handle: async () => answer(200, { ...(await ports.readBuild()) }),
    }),
    route("ping", {
      summary: "Read the time of the server.",
      answers: { 200: { description: "The time.", schema: timeSchema } },
      handle: () => Promise.resolve(answer(200, { timestamp: timeText(ports.clock.nowMs()) })),
    }),
    route("liveliness", {
      summary: "Read whether the process works, and the state of all dependencies.",
      description: "Answers 200 as long as the process answers, whatever its dependencies do.",
      query: typeQuery,
      answers: { 200: { description: "All checks.", schema: healthSchema } },
      handle: ({ query }) => liveliness(ports, textAt(query, "type") === "detailed"),
    }),
    route("readiness", {
      summary: "Read whether the server can do its work.",
      answers: {
        200: { description: "Every required check passes.", schema: healthSchema },
        503: { description: "A required check fails; `checks` names it.", schema: healthSchema },
      },
      handle: () => readiness(ports),
    }),
    route("started", {
      summary: "Read when the server started.",
      description:
        "The server accepts connections when configuration, migrations and modules are ready.",
      answers: { 200: { description: "The time of the start.", schema: timeSchema } },
      handle: () => Promise.resolve(answer(200, { timestamp: timeText(ports.startedMs) })),
    }),
  ];
}

const buildSchema = {
  type: "object",
  required: ["version"],
  properties: { version: text, revision: text, builtAt: time },
};

const timeSchema = {
  type: "object",
  required: ["timestamp"],
  properties: { timestamp: time },
};

async function liveliness(
  { readHealth, clock }: SelfPorts,
  isDetailed: boolean,
): Promise<RouteAnswer> {
  const results = await readHealth("readyz");
  const timestamp = timeText(clock.nowMs());
  const checks = results.map((result) =>
    isDetailed ? shownCheck(result, timestamp) : { name: result.name },
  );
  return answer(200, { status: "passed", timestamp, checks });
}

async function readiness({ readHealth, clock }: SelfPorts): Promise<RouteAnswer> {
  const results = await readHealth("readyz");
  const timestamp = timeText(clock.nowMs());
  const isReady = results.every(({ problem, isRequired }) => problem === undefined || !isRequired);
  const checks = results.map((result) => shownCheck(result, timestamp));
  const status = isReady ? "passed" : "failed";
  return answer(isReady ? 200 : 503, { status, timestamp, checks });
}

function shownCheck({ name, problem, isRequired }: CheckResult, timestamp: string): JsonObject {
  const status = problem === undefined ? "passed" : "failed";
  const description = problem === undefined ? {} : { description: problem };
  return { name, status, required: isRequired, ...description, timestamp };
}

function answer(status: number, document: JsonObject): RouteAnswer {
  return { kind: "document", status, document, headers: { "cache-control": "no-cache, private" } };
}
