// Writers that create, change and delete at random, and remember what the server acknowledged; and
// an informer that records every event. What was acknowledged must have been seen: once, in order.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ListWatch, Watch } from "@kubernetes/client-node";
import type { KubeConfig, KubernetesObject } from "@kubernetes/client-node";
import type { Random } from "../../../src/kernel/random.ts";
import type { Setpoint } from "../../peers/setpoint.ts";
import { waitUntil } from "../../peers/wait.ts";

export interface Collection {
  readonly path: string;
  /** An object with the value in it. */
  readonly make: (name: string, value: number) => object;
  /** A merge patch that puts the value in. */
  readonly change: (value: number) => object;
}

export interface Seen {
  readonly type: "add" | "update" | "delete";
  readonly name: string;
  readonly version: number;
}

interface Document {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** The versions that were acknowledged, of creations and changes. */
export interface Ledger {
  readonly versions: Map<string, Set<number>>;
  readonly deletions: Map<string, number>;
  writes: number;
}

export function newLedger(): Ledger {
  return { versions: new Map(), deletions: new Map(), writes: 0 };
}

export interface Churn {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly isOver: () => boolean;
}

/** Writes to a few names, so that they meet, until told to stop. Outages are waited out. */
export async function churn(
  server: Setpoint,
  { path, make, change }: Collection,
  { ledger, random, isOver }: Churn,
): Promise<void> {
  const merge = { "content-type": "application/merge-patch+json" };
  while (!isOver()) {
    const value = Math.floor(random.next() * 1_000_000);
    const name = `object-${value % 8}`;
    const choice = Math.floor(random.next() * 4);
    const ask = [
      () => server.ask(path, { method: "POST", body: make(name, value) }),
      () => server.ask(`${path}/${name}`, { method: "PATCH", body: change(value), headers: merge }),
      () => server.ask(`${path}/${name}`, { method: "PATCH", body: change(value), headers: merge }),
      () => server.ask(`${path}/${name}`, { method: "DELETE" }),
    ][choice];
    try {
      const answer = await ask?.();
      if (answer === undefined) continue;
      assert.ok([200, 201, 404, 409, 503, 429].includes(answer.status), String(answer.body));
      if (answer.status > 201) continue;
      ledger.writes++;
      note(ledger, name, choice === 3, answer.body);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      await delay(50); // The server is away: what became of the write is not known.
    }
  }
}

function note(ledger: Ledger, name: string, isDeletion: boolean, body: Buffer): void {
  if (isDeletion) {
    ledger.deletions.set(name, (ledger.deletions.get(name) ?? 0) + 1);
    return;
  }
  const { metadata } = JSON.parse(body.toString()) as Document;
  const versions = ledger.versions.get(name) ?? new Set<number>();
  ledger.versions.set(name, versions.add(Number(metadata.resourceVersion)));
}

export interface Recorder extends AsyncDisposable {
  readonly events: readonly Seen[];
  readonly informer: ListWatch<KubernetesObject>;
  /** How often everything was listed. */
  readonly lists: () => number;
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** An informer as an operator would run it: started again whenever the connection breaks. */
export async function record(
  server: Setpoint,
  config: KubeConfig,
  { path }: Collection,
): Promise<Recorder> {
  const events: Seen[] = [];
  let lists = 0;
  let isRunning = true;
  const listAll = async (): Promise<{ items: KubernetesObject[] }> => {
    lists++;
    const { status, body } = await server.ask(path);
    assert.equal(status, 200);
    return JSON.parse(body.toString()) as { items: KubernetesObject[] };
  };
  const informer = new ListWatch<KubernetesObject>(path, new Watch(config), listAll, false);
  for (const type of ["add", "update", "delete"] as const) {
    informer.on(type, ({ metadata }) => {
      const version = Number(metadata?.resourceVersion);
      events.push({ type, name: metadata?.name ?? "", version });
    });
  }
  informer.on("error", () => {
    if (isRunning) setTimeout(() => void informer.start(), 100);
  });
  await informer.start();
  return {
    events,
    informer,
    lists: () => lists,
    pause: async () => {
      isRunning = false;
      await informer.stop();
    },
    resume: async () => {
      isRunning = true;
      await informer.start();
    },
    async [Symbol.asyncDispose]() {
      isRunning = false;
      await informer.stop();
    },
  };
}

/** Waits until the informer holds exactly what the server holds. */
export async function untilCaughtUp(
  server: Setpoint,
  { path }: Collection,
  { informer }: Recorder,
): Promise<void> {
  const { body } = await server.ask(path);
  const { items } = JSON.parse(body.toString()) as { items: Document[] };
  const stored = items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
  const cached = (): string[] =>
    informer
      .list()
      .map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`)
      .sort();
  await waitUntil("the informer to catch up", () => cached().join() === stored.join(), {
    limitMs: 120_000,
  }).catch(() => assert.deepEqual(cached(), stored));
}

/** Each name is added, updated and deleted in that order, by ever newer versions, none twice. */
export function checkOrder(events: readonly Seen[]): void {
  const last = new Map<string, Seen>();
  for (const event of events) {
    const before = last.get(event.name);
    const isThere = before !== undefined && before.type !== "delete";
    const told = `${JSON.stringify(before)} then ${JSON.stringify(event)}`;
    assert.equal(event.type === "add", !isThere, told);
    if (before !== undefined) {
      const isNewer = event.version > before.version;
      assert.ok(isNewer || (event.type === "delete" && event.version === before.version), told);
    }
    last.set(event.name, event);
  }
}

/** For an informer that never had to list again; the last events may still be on their way. */
export async function untilComplete(events: readonly Seen[], ledger: Ledger): Promise<void> {
  const isComplete = (): boolean => {
    try {
      checkComplete(events, ledger);
      return true;
    } catch {
      return false;
    }
  };
  await waitUntil("every acknowledged write to be seen", isComplete).catch(() => {
    checkComplete(events, ledger);
  });
}

function checkComplete(events: readonly Seen[], ledger: Ledger): void {
  for (const [name, versions] of ledger.versions) {
    const seen = new Set(
      events
        .filter((event) => event.name === name && event.type !== "delete")
        .map(({ version }) => version),
    );
    const missed = [...versions].filter((version) => !seen.has(version));
    assert.deepEqual(missed, [], `${name}: acknowledged and not seen`);
  }
  for (const [name, deletions] of ledger.deletions) {
    const seen = events.filter((event) => event.name === name && event.type === "delete").length;
    assert.ok(seen >= deletions, `${name}: ${deletions} deletions, ${seen} seen`);
  }
}
