// Three real servers on one PostgreSQL run a module whose effects happen outside, while clients
// make, change and delete resources. Meanwhile servers are killed, paused for longer than their
// leases last, and the database is restarted. Once that ends everything must become what was asked
// for, and effects-check.ts looks at what happened on the way. Decisions come from a seed; the
// machine has a say in their moments.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "../../src/kernel/json.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import type { Random } from "../../src/kernel/random.ts";
import { keyRing, newSealKey } from "../../src/store/key-ring.ts";
import type { Store } from "../../src/store/port.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { root } from "../../tools/stages.ts";
import { startProgram } from "../peers/child.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { judgeEffects, unsettled } from "./effects-check.ts";
import type { Applied, Evidence, Logged } from "./effects-check.ts";
import { EffectsClient, kind } from "./effects-client.ts";
import type { Call } from "./effects-recorder.ts";

export interface CampaignOptions {
  readonly seed: number;
  readonly resources: number;
  /** How long clients work and trouble goes on. */
  readonly troubleMs: number;
  /** How long everything may take to converge afterwards. */
  readonly convergeMs: number;
  readonly tell?: (line: string) => void;
}

export interface CampaignResult {
  readonly findings: readonly string[];
  readonly summary: string;
}

const servers = 3;
const leaseMs = 3_000;

interface Scene {
  readonly random: Random;
  readonly postgres: Postgres;
  readonly store: string;
  readonly servers: readonly Setpoint[];
  readonly recorder: string;
  readonly tell: (line: string) => void;
}

export async function effectsCampaign(options: CampaignOptions): Promise<CampaignResult> {
  await using opened = new AsyncDisposableStack();
  const scene = await openScene(opened, options);
  const client = new EffectsClient(scene.servers, scene.random);
  await client.createNamespaces();
  const { seed, resources, troubleMs, convergeMs } = options;
  const trouble = new Troublemaker(scene);
  const troubled = trouble.during(troubleMs);
  // Most of what clients do falls into the time of trouble, and some of it after.
  await client.work({ resources, changed: 40, deleted: 15, ms: troubleMs * 0.9 }, `s${seed}`);
  await troubled;
  const startedAt = performance.now();
  const left = await untilSettled(client, convergeMs);
  const convergedMs = performance.now() - startedAt;
  const evidence = await gatherAtRest(scene, client, convergeMs);
  const findings = left.length > 0 ? left : judgeEffects(evidence);
  return { findings, summary: summaryOf(evidence, trouble, convergedMs) };
}

async function openScene(opened: AsyncDisposableStack, options: CampaignOptions): Promise<Scene> {
  const { seed, tell = () => undefined } = options;
  const folder = await mkdtemp(join(tmpdir(), "setpoint-effects-"));
  opened.defer(async () => await rm(folder, { recursive: true, force: true }));
  const config = join(folder, "config.yaml");
  await writeFile(config, `engine: { lease: ${leaseMs / 1_000}s }\n`);
  const program = opened.use(await startProgram("tests/chaos/effects-recorder.ts"));
  const [, recorder = ""] = await program.waitForLine(/recording on (\S+)/);
  const postgres = opened.use(await startPostgres());
  const store = postgres.url(await postgres.createDatabase());
  const args = ["--config", config, "--module", join(root, "tests/chaos/effects-module.ts")];
  const common = { store, args, env: { SETPOINT_TEST_RECORDER: recorder } };
  const first = opened.use(await startSetpoint(common));
  const keys = join(first.folder, "keys.json");
  const all = [first];
  while (all.length < servers) all.push(opened.use(await startSetpoint({ ...common, keys })));
  return { random: seededRandom(seed), postgres, store, servers: all, recorder, tell };
}

/** Kills, pauses and restarts. Each server has one trouble at a time. */
class Troublemaker {
  readonly #scene: Scene;
  readonly #troubled = new Set<Setpoint>();
  kills = 0;
  pauses = 0;
  restarts = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Afterwards all of them run. */
  async during(ms: number): Promise<void> {
    const endsAt = performance.now() + ms;
    const isOver = (): boolean => performance.now() >= endsAt;
    await Promise.all([
      this.#every(1_000, 4_000, isOver, async (server) => await this.#kill(server)),
      this.#every(500, 2_000, isOver, async (server) => await this.#pause(server)),
      this.#restartOnce(ms),
    ]);
  }

  async #every(
    leastMs: number,
    mostMs: number,
    isOver: () => boolean,
    make: (server: Setpoint) => Promise<void>,
  ): Promise<void> {
    const { random } = this.#scene;
    while (!isOver()) {
      await delay(leastMs + random.next() * (mostMs - leastMs));
      const calm = this.#scene.servers.filter((server) => !this.#troubled.has(server));
      const server = calm[Math.floor(random.next() * calm.length)];
      // One of them is always left alone, as when machines fail one by one.
      if (server === undefined || calm.length < 2 || isOver()) continue;
      this.#troubled.add(server);
      await make(server);
      this.#troubled.delete(server);
    }
  }

  async #kill(server: Setpoint): Promise<void> {
    this.kills += 1;
    this.#scene.tell(`kill ${server.url}`);
    await server.kill9();
    await delay(this.#scene.random.next() * 1_000);
    await this.#start(server);
  }

  /** A server does not start without its database, which may be away at this moment. */
  async #start(server: Setpoint): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await server.start();
      } catch (error) {
        if (attempt === 10) throw error;
        await server.kill9();
        await delay(500);
      }
    }
  }

  async #pause(server: Setpoint): Promise<void> {
    this.pauses += 1;
    this.#scene.tell(`pause ${server.url}`);
    server.pause();
    await delay(leaseMs * (1 + this.#scene.random.next() * 0.7));
    server.resume();
  }

  async #restartOnce(ms: number): Promise<void> {
    const { random, postgres, tell } = this.#scene;
    await delay(ms * (0.3 + random.next() * 0.4));
    const isCrash = random.next() < 0.5;
    this.restarts += 1;
    tell(`${isCrash ? "crash" : "restart"} the database`);
    if (isCrash) await postgres.kill9();
    else await postgres.stop();
    await delay(random.next() * 1_000);
    await postgres.start();
  }
}

/** What is not settled when the time is over. */
async function untilSettled(client: EffectsClient, limitMs: number): Promise<readonly string[]> {
  const endsAt = performance.now() + limitMs;
  for (;;) {
    const deleted = new Set(client.wishes().flatMap((w) => (w.isDeleted ? [w.name] : [])));
    const left = (await client.shown()).flatMap((shown) =>
      deleted.has(shown.name) ? [`${shown.name} is still being deleted`] : unsettled(shown),
    );
    if (left.length === 0 || performance.now() > endsAt) return left;
    await delay(200);
  }
}

/**
 * Collects the evidence while no run is in progress. The engine reconciles resources again 30 s
 * after their kind was adopted; a run between two reads would make the sides disagree.
 */
async function gatherAtRest(
  scene: Scene,
  client: EffectsClient,
  limitMs: number,
): Promise<Evidence> {
  const keys = keyRing([newSealKey()]);
  await using store = await openPostgresStore({ url: scene.store, keys, readOnly: true });
  const endsAt = performance.now() + limitMs;
  for (;;) {
    const before = await callsAtRest(store, scene);
    const evidence = await gather(store, scene, client);
    const isConsistent = before !== undefined && before === (await callsAtRest(store, scene));
    if (isConsistent || performance.now() > endsAt) return evidence;
    await delay(200);
  }
}

/** How many calls the recorder has; undefined while work is due or claimed. Each run calls it. */
async function callsAtRest(store: Store, scene: Scene): Promise<number | undefined> {
  const { due, next } = await store.backlog({ kind, limit: 1_000 });
  const isAtRest = due === 0 && next.every(({ work }) => work.claim === undefined);
  return isAtRest ? (await recordedCalls(scene)).length : undefined;
}

async function recordedCalls({ recorder }: Scene): Promise<readonly Call[]> {
  return (await (await fetch(recorder)).json()) as readonly Call[];
}

async function gather(store: Store, scene: Scene, client: EffectsClient): Promise<Evidence> {
  const names = new Map<string, string>();
  const log: Logged[] = [];
  for (let after = 0; ;) {
    const page = await store.changes(after, 1_000, { kinds: [kind] });
    for (const { uid, key, revision, body } of page.changes) {
      names.set(uid, key.name);
      const { status } = JSON.parse(body.toString()) as { readonly status?: JsonObject };
      const applied = status?.["applied"] as Applied | undefined;
      if (applied !== undefined) log.push({ uid, revision, applied });
    }
    if (page.through >= page.revision) break;
    after = page.through;
  }
  const calls = await recordedCalls(scene);
  return { wishes: client.wishes(), shown: await client.shown(), calls, log, names };
}

function summaryOf(evidence: Evidence, trouble: Troublemaker, convergedMs: number): string {
  const { wishes, shown, calls } = evidence;
  const count = (verdict: Call["verdict"]): number =>
    calls.filter((call) => call.verdict === verdict).length;
  return [
    `${wishes.length} resources, ${shown.length} of them left`,
    `${trouble.kills} kills, ${trouble.pauses} pauses, ${trouble.restarts} restart`,
    `${count("accepted")} effects, ${count("duplicate")} repeated, ${count("stale")} refused`,
    `converged ${(convergedMs / 1_000).toFixed(1)} s after the last trouble`,
  ].join("; ");
}
