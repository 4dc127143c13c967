/**
 * The health endpoints. `/livez` says that the process turns; `/readyz` and `/healthz` that the
 * store answers, asked anew each time and bounded, so that a load balancer learns the truth now.
 * Each check has a path of its own, such as `/readyz/etcd`, under the names that probes written for
 * kube-apiserver use. Anybody may ask for all of these, with or without credentials: `?verbose`
 * tells the same, and balancers have no credentials.
 *
 * The checks of built-in modules follow those of the server at `/readyz`.
 *
 * `store-writes` is shown, and fails where it is asked for by its own path, but does not count in
 * the whole: while a disk is full, reads and watches go on, and to take every server away from its
 * clients would make of less service none.
 */
import type { HealthCheck } from "../contract/module.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import type { PathHandler } from "../surfaces/kube/api.ts";
import type { ReadHealth } from "../surfaces/rest/self-routes.ts";
import type { StoreState } from "./watch-store.ts";

const answerWithinMs = 2_000;

/** What each endpoint checks, in the order in which it tells of them. */
const checksOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["livez", ["ping", "log"]],
  ["readyz", ["ping", "log", "etcd", "store-writes", "informer-sync", "shutdown"]],
  ["healthz", ["ping", "log", "etcd"]],
]);

export interface HealthOptions {
  readonly store: Pick<Store, "get">;
  readonly timers: Timers;
  /** Aborted while draining: still alive, no longer ready. */
  readonly stopping: AbortSignal;
  readonly storeState: StoreState;
  /** Those of built-in modules. */
  readonly checks: readonly HealthCheck[];
}

export function isHealthPath(path: string, checks: readonly HealthCheck[]): boolean {
  return askedAt(path, checks) !== undefined;
}

/** What a path asks for; undefined when it is none of these. */
function askedAt(path: string, added: readonly HealthCheck[]): Asked | undefined {
  if (!path.startsWith("/")) return undefined;
  const [endpoint = "", ...rest] = path.slice(1).split("/");
  const own = checksOf.get(endpoint);
  const more = endpoint === "readyz" ? added.map(({ name }) => name) : [];
  const checks = own?.concat(more);
  const one = checks?.find((check) => check === rest[0]);
  if (checks === undefined || rest.length > 1) return undefined;
  return rest.length === 1 && one === undefined ? undefined : { endpoint, checks, one };
}

interface Asked {
  readonly endpoint: string;
  readonly checks: readonly string[];
  /** The check that has this path. */
  readonly one: string | undefined;
}

export function healthPaths(options: HealthOptions): PathHandler {
  return async (exchange, { path, query }) => {
    const found = askedAt(path, options.checks);
    if (found === undefined) return false;
    const { endpoint, checks, one } = found;
    const asked = one === undefined ? checks : [one];
    const excluded = new Set(query.getAll("exclude"));
    const results = await Promise.all(
      asked.map(async (check): Promise<Result> => ({
        check,
        problem: excluded.has(check) ? undefined : await problemOf(options, check),
        isExcluded: excluded.delete(check),
        isCounted: check === one || doesCount(options, check),
      })),
    );
    const isVerbose = query.has("verbose") && one === undefined;
    const { status, text } = reply(endpoint, results, { isVerbose, unknown: [...excluded] });
    const headers = {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-cache, private",
      "x-content-type-options": "nosniff",
    };
    exchange.send(status, headers, text);
    return true;
  };
}

/** The results of all checks of an endpoint, for a surface that words them itself. */
export function readHealth(options: HealthOptions): ReadHealth {
  return async (endpoint) => {
    const checks = askedAt(`/${endpoint}`, options.checks)?.checks ?? [];
    return await Promise.all(
      checks.map(async (name) => {
        const problem = await problemOf(options, name);
        return { name, problem, isRequired: doesCount(options, name) };
      }),
    );
  };
}

/** Whether an endpoint fails with a check that is not asked for by its own path. */
function doesCount({ checks }: HealthOptions, check: string): boolean {
  const added = checks.find(({ name }) => name === check);
  return added === undefined ? check !== "store-writes" : added.isRequired === true;
}

interface Result {
  readonly check: string;
  readonly problem: string | undefined;
  readonly isExcluded: boolean;
  /** Whether the endpoint fails with it. */
  readonly isCounted: boolean;
}

function reply(
  endpoint: string,
  results: readonly Result[],
  { isVerbose, unknown }: { readonly isVerbose: boolean; readonly unknown: readonly string[] },
): { readonly status: number; readonly text: string } {
  const isGood = results.every(({ problem, isCounted }) => problem === undefined || !isCounted);
  if (isGood && !isVerbose) return { status: 200, text: "ok" };
  const lines = results.map(({ check, problem, isExcluded, isCounted }) => {
    if (isExcluded) return `[+]${check} excluded: ok\n`;
    if (problem === undefined) return `[+]${check} ok\n`;
    return `[-]${check} failed${isCounted ? "" : " (not required)"}: ${problem}\n`;
  });
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(",");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
  }
  const text = `${lines.join("")}${endpoint} check ${isGood ? "passed" : "failed"}\n`;
  return { status: isGood ? 200 : 500, text };
}

/** Undefined when all is well. */
async function problemOf(options: HealthOptions, check: string): Promise<string | undefined> {
  const added = options.checks.find(({ name }) => name === check);
  if (added !== undefined) return await problemInTime(options.timers, added);
  if (check === "shutdown" && options.stopping.aborted) return "process is shutting down";
  if (check === "store-writes") return writeTrouble(options.storeState);
  return check === "etcd" ? await storeProblem(options) : undefined;
}

async function problemInTime(timers: Timers, { check }: HealthCheck): Promise<string | undefined> {
  const failed = (): string => "the check failed";
  return await inTime(timers, check().catch(failed), `no response within ${answerWithinMs} ms`);
}

function writeTrouble(state: StoreState): string | undefined {
  const code = state.writeProblem();
  return code === undefined ? undefined : `store: ${code}: writes are refused, reads are served`;
}

/** Why the store is of no use at the moment; undefined when it is. */
export async function storeProblem({
  store,
  timers,
}: Pick<HealthOptions, "store" | "timers">): Promise<string | undefined> {
  // Any key will do: what matters is that the database is asked, and that it costs nothing.
  const asked = store.get({ kind: "health", namespace: "", name: "ready" }).then(
    () => undefined,
    (error: unknown) => `store: ${isSetpointError(error) ? error.code : "failed"}`,
  );
  return await inTime(timers, asked, `store: no response within ${answerWithinMs} ms`);
}

async function inTime(
  timers: Timers,
  asked: Promise<string | undefined>,
  late: string,
): Promise<string | undefined> {
  const stop = new AbortController();
  const timeout = timers.sleep(answerWithinMs, stop.signal).then(
    () => late,
    () => late,
  );
  try {
    return await Promise.race([asked, timeout]);
  } finally {
    stop.abort();
  }
}
