// A server that is killed in the middle of steps, each held by the proxy at a moment of its own:
// before the service has heard of it, after the service has acted and before it was answered, or at
// any later request of the same step. All steps of one table are under way when the server ends, so
// that one crash proves them all; a server started on the same data has to finish every one.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FaultProxy, Match } from "./fault-proxy.ts";

/** Where the server is when it ends: before the service hears of it, or after it has acted. */
export const moments = ["hold", "hold answer"] as const;
export type Moment = (typeof moments)[number];

export interface Step {
  /** The request in the middle of which it ends. */
  readonly match: Match;
  readonly moment: Moment;
  readonly act: () => Promise<void>;
}

/** What ends, and comes back on the same data. */
export interface Mortal {
  kill9(): Promise<void>;
  start(): Promise<void>;
}

/** Returns when all of them were under way, and the server is there again. */
export async function killDuring(
  { proxy, server }: { readonly proxy: FaultProxy; readonly server: Mortal },
  steps: readonly Step[],
): Promise<void> {
  const rules = steps.map(({ match, moment }) => proxy.on(match, { kind: moment }, 1));
  for (const { act } of steps) await act();
  for (const rule of rules) await rule.hit();
  await server.kill9();
  for (const rule of rules) rule.release();
  await server.start();
}

/** For names: "hold-answer". */
export function wordOf(moment: string): string {
  return moment.replaceAll(" ", "-");
}

export interface ShortLeases extends AsyncDisposable {
  /** Of the command line. */
  readonly args: readonly string[];
}

/** What a dead server held is free again soon; more lines of its configuration may be given. */
export async function shortLeases(more = ""): Promise<ShortLeases> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-crash-"));
  const config = join(folder, "setpoint.yaml");
  await writeFile(config, `engine: { lease: 3s, grace: 1s }\n${more}`);
  return {
    args: ["--config", config],
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}
