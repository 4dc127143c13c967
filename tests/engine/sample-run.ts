// What the engine's parts are tested with: a store in memory, resources to work on, and the scope
// of a run over it. A process is a view of the store that can be killed at any call, before or
// after the call took effect: from then on nothing it asks for is ever answered.
import assert from "node:assert/strict";
import { manualClock } from "../../src/kernel/clock.ts";
import type { ManualClock } from "../../src/kernel/clock.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { draftOf } from "../../src/kernel/draft.ts";
import type { Json } from "../../src/kernel/json.ts";
import { manualTimers } from "../../src/kernel/manual-timers.ts";
import type { ManualTimers } from "../../src/kernel/manual-timers.ts";
import type { OwnerReference, Resource, ResourceKey } from "../../src/kernel/resource.ts";
import type { Resources, RunScope } from "../../src/engine/ports.ts";
import { ModelStore } from "../../src/store/contract/model.ts";
import type { Claim, Store, Write } from "../../src/store/port.ts";
import { systemCause } from "../../src/kernel/cause.ts";

export const widgets = "widgets.test";
export const gadgets = "gadgets.test";
/** Of cluster scope. */
export const regions = "regions.test";

export interface World {
  readonly clock: ManualClock;
  readonly timers: ManualTimers;
  readonly store: ModelStore;
}

export function newWorld(): World {
  const clock = manualClock();
  return { clock, timers: manualTimers(clock), store: new ModelStore(clock) };
}

export const resources: Pick<Resources, "kindOf" | "isNamespaced"> = {
  kindOf: (apiVersion, kind) =>
    apiVersion === "test/v1" ? `${kind.toLowerCase()}s.test` : undefined,
  isNamespaced: (kind) => kind !== regions,
};

export const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export const noMeter = { count: () => undefined, gauge: () => undefined, observe: () => undefined };

export function keyTo(name: string, kind = widgets): ResourceKey {
  return { kind, namespace: kind === regions ? "" : "team", name };
}

export interface Parts {
  readonly generation?: number;
  readonly request?: string;
  readonly owners?: readonly OwnerReference[];
  readonly spec?: Json;
  readonly status?: Json;
  readonly uid?: string;
  /** Undefined leaves it as it was. */
  readonly dueMs?: number;
}

/** Creates the resource, or replaces it. */
export async function write(store: Store, key: ResourceKey, parts: Parts = {}): Promise<number> {
  const { generation = 1, request, owners, spec = {}, status = {}, dueMs } = parts;
  const uid = parts.uid ?? uidOf(key);
  const [, kind = ""] = /^(.*)s\.test$/.exec(key.kind) ?? [];
  const resource: Resource = {
    apiVersion: "test/v1",
    kind: kind.slice(0, 1).toUpperCase() + kind.slice(1),
    metadata: {
      name: key.name,
      ...(key.namespace === "" ? {} : { namespace: key.namespace }),
      uid,
      generation,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(request === undefined ? {} : { annotations: { "setpoint.dev/reconcile": request } }),
      ...(owners === undefined ? {} : { ownerReferences: owners }),
    },
    spec,
    status,
  };
  const present = await store.get(key);
  const [answer] = await store.commit([
    {
      kind: "put",
      cause: systemCause,
      key,
      uid,
      draft: draftOf({ versions: [], fieldRules: [] }, resource),
      when: present === undefined ? { kind: "absent" } : { kind: "exists" },
      ...(dueMs === undefined ? {} : { due: { kind: "wake", afterMs: dueMs } as const }),
    },
  ]);
  assert(answer?.kind === "committed" || answer?.kind === "unchanged");
  return answer.revision;
}

export function uidOf(key: ResourceKey): string {
  return `uid-${key.kind}-${key.name}`;
}

export async function remove(store: Store, key: ResourceKey): Promise<void> {
  const [answer] = await store.commit([
    { kind: "delete", cause: systemCause, key, when: { kind: "exists" } },
  ]);
  assert.equal(answer?.kind, "committed");
}

export function ownerNamed(key: ResourceKey): OwnerReference {
  const kind = key.kind.slice(0, 1).toUpperCase() + key.kind.slice(1, -"s.test".length);
  return { apiVersion: "test/v1", kind, name: key.name, uid: uidOf(key) };
}

/** Claims a resource that is due; the lease is a minute. */
export async function claim(store: Store, key: ResourceKey): Promise<Claim> {
  const claims = await store.claim({
    owner: "tester",
    kinds: [key.kind],
    limit: 1_000,
    leaseMs: 60_000,
  });
  const found = claims.find((candidate) => candidate.key.name === key.name);
  assert(found !== undefined, `${key.name} is due`);
  return found;
}

/** The scope of a run as the engine has it, in the simplest form. */
export async function openScope(store: Store, key: ResourceKey): Promise<RunScope> {
  const { token, uid } = await claim(store, key);
  const record = await store.get(key);
  assert(record !== undefined);
  const resource = decodeDocument(record.body, record.revision);
  const commit = async (writes: readonly Write[]) => {
    const fenced = writes.map((each) => ({ ...each, claim: { key, token } }));
    const answers = await store.commit(fenced, { atomic: true });
    for (const answer of answers) if (answer.kind === "refused") throw answer.error;
    return answers;
  };
  return {
    key,
    uid,
    claim: { key, token },
    cause: systemCause,
    signal: new AbortController().signal,
    loaded: () => resource,
    current: () => resource,
    commit,
    update: () => Promise.reject(new Error("not needed here")),
  };
}

/** Gives the claim back, as the end of a run does. */
export async function release(scope: RunScope, afterMs?: number): Promise<void> {
  const due = { kind: "release", attempts: "reset", ...(afterMs === undefined ? {} : { afterMs }) };
  await scope.commit([
    { kind: "schedule", key: scope.key, when: { kind: "exists" }, due } as Write,
  ]);
}

/** Milliseconds until a resource is due; undefined: it is settled. */
export function dueIn({ store, clock }: World, key: ResourceKey): number | undefined {
  const work = [...store.state.live.values()].find(
    (live) => live.key.kind === key.kind && live.key.name === key.name,
  )?.work;
  return work?.dueAtMs === undefined ? undefined : work.dueAtMs - clock.nowMs();
}

export interface Process {
  readonly store: Store;
  /** Resolves when it is killed. */
  readonly killed: Promise<void>;
  kill(): void;
  /** Lets it live for this many more calls; the last one is not answered any more. */
  killAfter(calls: number): void;
  calls(): number;
}

/** A process that dies at its nth call of the store, before or after the store did its part. */
export function processOn(
  store: Store,
  killAt?: { readonly call: number; readonly isDone: boolean },
): Process {
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  const { promise: never } = Promise.withResolvers<never>();
  let isDead = false;
  let calls = 0;
  let lastCall = killAt?.call;
  const kill = (): void => {
    isDead = true;
    resolve();
  };
  const view = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        if (name === "workTick") return Reflect.apply(member, target, args);
        if (isDead) return never;
        calls += 1;
        const isLast = calls === lastCall;
        if (isLast && killAt?.isDone !== true) {
          kill();
          return never;
        }
        const answer = Promise.resolve(Reflect.apply(member, target, args) as Promise<unknown>);
        if (isLast) {
          // The rejection of what nobody waits for is nobody's.
          answer.then(kill, kill);
          return never;
        }
        return answer.then(
          (value) => (isDead ? never : value),
          (error: unknown) => {
            if (isDead) return never;
            throw error;
          },
        );
      };
    },
  });
  const killAfter = (more: number): void => {
    lastCall = calls + more;
  };
  return { store: view, killed, kill, killAfter, calls: () => calls };
}
