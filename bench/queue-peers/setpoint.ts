/**
 * Setpoint's engine on its store, as a server has it, with a reconciler that does nothing. A job is
 * a resource that is due: claimed, loaded, reconciled and given back under its fence. "first" is
 * the first reconcile of a new resource, which writes a status (and so a change that watchers see);
 * "again" is one of a settled resource that was woken, where nothing is left to write. Done means
 * that no resource is due or claimed.
 */
import { setTimeout } from "node:timers/promises";
import { startEngine } from "../../src/engine/engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { done } from "../../src/engine/outcome.ts";
import type { EnginePorts } from "../../src/engine/ports.ts";
import type { Reconciler } from "../../src/engine/reconciler.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { draftOf } from "../../src/kernel/draft.ts";
import { systemIds } from "../../src/kernel/ids.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store, Write } from "../../src/store/port.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { keys } from "../documents.ts";
import type { Contestant } from "./contestant.ts";
import { systemCause } from "../../src/kernel/cause.ts";

const kind = "jobs.bench.example";
/** Turns are taken between namespaces, so there are some. */
const namespaces = 10;
const written = 500;
/** Due later than any lease: what is left is the resync of some hours later. */
const longAfter = 60_000;

export async function setpointFirst(target: string): Promise<Contestant> {
  return contestant(await openStore(target), "first");
}

export async function setpointAgain(target: string): Promise<Contestant> {
  return contestant(await openStore(target), "again");
}

async function openStore(target: string): Promise<Store> {
  const isPostgres = target.startsWith("postgres:");
  return isPostgres
    ? await openPostgresStore({ url: target, keys })
    : await openSqliteStore({ path: target, keys });
}

export function contestant(store: Store, which: "first" | "again"): Contestant {
  let serial = 0;
  let settled: readonly Resource[] = [];
  const ports = enginePorts(store);
  const start = (reconcile: (resource: Resource) => void): Engine => {
    const engine = startEngine(ports, { owner: `bench-${process.pid}`, slots: 10 });
    const trivial: Reconciler = {
      kind,
      reconcile: async (resource) => {
        reconcile(resource);
        return done();
      },
    };
    engine.add(trivial);
    return engine;
  };
  const drain = async (count: number): Promise<() => Promise<void>> => {
    const { promise: all, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    const engine = start(() => {
      runs += 1;
      if (runs === count) resolve();
    });
    await all;
    while (((await store.nextDue([kind])) ?? Infinity) < longAfter) await setTimeout(1);
    return async () => await engine.stop();
  };
  const create = async (count: number): Promise<readonly Resource[]> => {
    const made = Array.from({ length: count }, () => jobNamed((serial += 1), ""));
    await inParts(store, made.map(creation));
    return made;
  };
  return {
    fill: async (count) => {
      if (which === "first") return void (await create(count));
      if (settled.length < count) {
        const made = await create(count - settled.length);
        const stop = await drain(made.length);
        await stop();
        settled = [...settled, ...made];
      }
      return await inParts(store, settled.slice(0, count).map(wake));
    },
    drain,
    send: async (text) => {
      serial += 1;
      await store.commit([creation(jobNamed(serial, text))]);
    },
    follow: async (onStart) => {
      const engine = start((resource) => onStart(textAt(resource, "spec", "text")));
      return async () => await engine.stop();
    },
  };
}

function jobNamed(serial: number, text: string): Resource {
  const name = `job-${process.pid}-${serial}`;
  return {
    apiVersion: "bench.example/v1",
    kind: "Job",
    metadata: {
      name,
      namespace: `tenant-${serial % namespaces}`,
      uid: `uid-${name}`,
      resourceVersion: "",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: { text },
  };
}

function keyOf({ metadata: { namespace = "", name } }: Resource) {
  return { kind, namespace, name };
}

function creation(resource: Resource): Write {
  return {
    kind: "put",
    cause: systemCause,
    key: keyOf(resource),
    uid: resource.metadata.uid,
    draft: draftOf({ versions: [], fieldRules: [] }, resource),
    when: { kind: "absent" },
    due: { kind: "wake", afterMs: 0 },
  };
}

function wake(resource: Resource): Write {
  return {
    kind: "schedule",
    key: keyOf(resource),
    when: { kind: "exists" },
    due: { kind: "wake", afterMs: 0 },
  };
}

async function inParts(store: Store, writes: readonly Write[]): Promise<void> {
  for (let at = 0; at < writes.length; at += written) {
    for (const answer of await store.commit(writes.slice(at, at + written))) {
      if (answer.kind === "refused") throw answer.error;
    }
  }
}

function enginePorts(store: Store): EnginePorts {
  const quiet = (): void => undefined;
  const refuse = (): never => {
    throw new Error("a trivial reconciler has no children");
  };
  const complain = (fields: unknown, text: string): void => console.error(text, fields);
  return {
    store,
    resources: {
      draft: (_, resource) => draftOf({ versions: [], fieldRules: [] }, resource),
      applyChild: refuse,
      deleteChild: refuse,
      kindOf: () => kind,
      isNamespaced: () => true,
      recordEvent: async () => undefined,
      weightOf: () => 1,
    },
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    ids: systemIds,
    log: { debug: quiet, info: quiet, warn: complain, error: complain },
    tracer: { span: async (_, inside) => await inside() },
    meter: { count: quiet, gauge: quiet, observe: quiet },
  };
}
