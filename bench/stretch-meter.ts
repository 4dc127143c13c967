/**
 * Measures the longest stretch of the event loop of a server without a turn, in processor time of
 * its main thread. The server is started with `--import` of this file and with the path of a socket
 * in SETPOINT_STRETCH_SOCKET. Each connection to the socket gets the longest stretches since the
 * last one, as JSON.
 */
import { Session } from "node:inspector";
import { createServer } from "node:net";
import { isMainThread } from "node:worker_threads";

export interface Stretch {
  /** Processor time of the main thread. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Functions of the stretch with their times, the longest first, if SETPOINT_STRETCH_PROFILE. */
  readonly functions: readonly string[];
}

interface Profile {
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  readonly nodes: readonly ProfileNode[];
}

interface ProfileNode {
  readonly id: number;
  readonly children?: readonly number[];
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
}

/** Shorter stretches are not of interest. */
const leastMs = 20;

const socket = process.env["SETPOINT_STRETCH_SOCKET"];
/** Other processes of the tests inherit the environment. */
const isServer = process.argv[1]?.endsWith("src/cli/main.ts") === true;
if (isMainThread && isServer && socket !== undefined) measure(socket);

function measure(path: string): void {
  const isProfiled = process.env["SETPOINT_STRETCH_PROFILE"] !== undefined;
  const profiler = isProfiled ? startProfiler() : undefined;
  let found: (Omit<Stretch, "functions"> & { fromUs: number; toUs: number })[] = [];
  let [lastCpuMs, lastUs] = [cpuMs(), hrUs()];
  // Due in every turn of the loop.
  setInterval(() => {
    const [nowCpuMs, nowUs] = [cpuMs(), hrUs()];
    const stretchMs = nowCpuMs - lastCpuMs;
    if (stretchMs > leastMs) {
      const wallMs = (nowUs - lastUs) / 1_000;
      found.push({ cpuMs: stretchMs, wallMs, fromUs: lastUs, toUs: nowUs });
    }
    [lastCpuMs, lastUs] = [nowCpuMs, nowUs];
  }, 1).unref();
  createServer((connection) => {
    connection.on("error", () => undefined);
    const profile = profiler?.stop();
    const shown = found
      .toSorted((a, b) => b.cpuMs - a.cpuMs)
      .slice(0, shownStretches)
      .map(({ cpuMs: each, wallMs, fromUs, toUs }): Stretch => {
        const functions = profile === undefined ? [] : functionsIn(profile, fromUs, toUs);
        return { cpuMs: each, wallMs, functions };
      });
    connection.end(JSON.stringify(shown));
    // What the measurement itself took does not count.
    setImmediate(() => {
      profiler?.restart();
      [found, lastCpuMs, lastUs] = [[], cpuMs(), hrUs()];
    });
  })
    .listen(path)
    .unref();
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function hrUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

interface Profiler {
  stop(): Profile | undefined;
  restart(): void;
}

function startProfiler(): Profiler {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.setSamplingInterval", { interval: 500 });
  session.post("Profiler.start");
  return {
    stop: () => {
      let found: Profile | undefined;
      session.post("Profiler.stop", (_error, { profile }) => {
        found = profile as Profile;
      });
      return found;
    },
    restart: () => session.post("Profiler.start"),
  };
}

/** Functions by the time in which they were on the stack, and the time of their own. */
function functionsIn(profile: Profile, fromUs: number, toUs: number): readonly string[] {
  const parents = new Map<number, number>();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const { id, children = [] } of profile.nodes) {
    for (const child of children) parents.set(child, id);
  }
  const [total, own] = [new Map<string, number>(), new Map<string, number>()];
  let atUs = profile.startTime;
  for (const [index, sample] of profile.samples.entries()) {
    const deltaUs = profile.timeDeltas[index] ?? 0;
    atUs += deltaUs;
    if (atUs < fromUs || atUs > toUs) continue;
    const seen = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const name = nameOf(nodes.get(id));
      if (id === sample) add(own, name, deltaUs);
      if (!seen.has(name)) add(total, name, deltaUs);
      seen.add(name);
    }
  }
  return [...total]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shownFunctions)
    .map(([name, us]) => `${ms(us)} ms, own ${ms(own.get(name) ?? 0)}: ${name}`);
}

const shownStretches = 6;
const shownFunctions = 30;

function ms(us: number): string {
  return (us / 1_000).toFixed(0);
}

function add(map: Map<string, number>, name: string, us: number): void {
  map.set(name, (map.get(name) ?? 0) + us);
}

function nameOf(node: ProfileNode | undefined): string {
  if (node === undefined) return "?";
  const { functionName, url, lineNumber } = node.callFrame;
  const file = url.replace(/^.*\/(?=src\/|node_modules\/)/, "");
  return `${functionName || "(anonymous)"} ${file}:${lineNumber + 1}`;
}
