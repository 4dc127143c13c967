// Runs the agents of many clusters in one process, with simulated data planes, for the benchmark.
// Reads a file with the URL, the authority and the clusters. Prints "started" when every agent
// has listed its instances, and "seen MARK MS" when one receives the change of a parameter `mark`:
// in a watch, or in a list between two watches.

import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { httpWith } from "../../src/adapters/http/client.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openControlPlane } from "../../src/modules/fleet/agent/control-plane.ts";
import type { AgentEvent, ControlPlane } from "../../src/modules/fleet/agent/control-plane.ts";
import { Agent } from "../../src/modules/fleet/agent/run-agent.ts";
import { logger } from "../../src/telemetry/log.ts";

/** Between the starts of two agents: as if they had been started at different times. */
const apartMs = 10;

const [file = ""] = process.argv.slice(2);
const config = JSON.parse(await readFile(file, "utf8")) as JsonObject;
const clusters = objectsAt(config, "clusters");
const log = logger((line) => process.stderr.write(line), systemClock, "error");
const openHttp = httpWith(systemTimers);
const stopping = new AbortController();
const daemon = {
  clock: systemClock,
  timers: systemTimers,
  random: systemRandom,
  log,
  stopping: stopping.signal,
};
let listed = 0;
const marks = new Set<string>();

for (const cluster of clusters) {
  void run(textAt(cluster, "id"), textAt(cluster, "token"));
  await setTimeout(apartMs);
}

async function run(id: string, token: string): Promise<void> {
  const controlPlane = observed(
    openControlPlane({
      url: new URL(textAt(config, "url")),
      cluster: id,
      tls: { ca: textAt(config, "ca"), isUnverified: false },
      token: async () => token,
      openHttp,
    }),
  );
  const settings = { installMs: 0 };
  const target = { kind: "simulator", settings } as const;
  const own = { cluster: id, namespace: undefined, target, status: async () => ({}) };
  await new Agent({ config: own, daemon, controlPlane, client: undefined }).run();
}

/** The same control plane; lists are counted and changes are printed. */
function observed(real: ControlPlane): ControlPlane {
  let isListed = false;
  return {
    ...real,
    list: async (plural, signal) => {
      const list = await real.list(plural, signal);
      list.items.forEach(announce);
      if (!isListed) {
        isListed = true;
        listed += 1;
        if (listed === clusters.length) console.log("started");
      }
      return list;
    },
    watch: (...input) => seen(real.watch(...input)),
  };
}

async function* seen(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent> {
  for await (const event of events) {
    if (event.kind === "change") announce(event.object);
    yield event;
  }
}

function announce(instance: JsonObject): void {
  const mark = textAt(instance, "spec", "parameters", "mark");
  if (mark === "" || marks.has(mark)) return;
  marks.add(mark);
  console.log(`seen ${mark} ${Date.now()}`);
}
