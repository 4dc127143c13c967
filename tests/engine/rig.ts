// A world for tests of the engine in one process: the model of the store, time that moves when
// told, chance from a seed, and a write path that does as little as it may. Several engines can
// share one world, as processes share a database.
import assert from "node:assert/strict";
import { manualClock } from "../../src/kernel/clock.ts";
import type { ManualClock } from "../../src/kernel/clock.ts";
import { decodeDocument, documentDigest } from "../../src/kernel/document.ts";
import { draftOf } from "../../src/kernel/draft.ts";
import type { Draft } from "../../src/kernel/draft.ts";
import { SetpointError } from "../../src/kernel/errors.ts";
import { seededIds } from "../../src/kernel/ids.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { manualTimers } from "../../src/kernel/manual-timers.ts";
import type { ManualTimers } from "../../src/kernel/manual-timers.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import type { Metadata, Resource, ResourceKey } from "../../src/kernel/resource.ts";
import type { EnginePorts } from "../../src/engine/ports.ts";
import { conditionsOf, statusOf } from "../../src/engine/run/status.ts";
import { ModelStore } from "../../src/store/contract/model.ts";
import type { DumpRow, Store, Write } from "../../src/store/port.ts";
import { systemCause } from "../../src/kernel/cause.ts";

export const widgets = "widgets.test";

export interface Said {
  readonly level: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Rig {
  readonly clock: ManualClock;
  readonly timers: ManualTimers;
  readonly store: ModelStore;
  readonly ports: EnginePorts;
  readonly said: readonly Said[];
  readonly counted: ReadonlyMap<string, number>;
  /** Ports like those of the rig over another view of its store. */
  portsOver(store: Store): EnginePorts;
}

export function newRig(): Rig {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const store = new ModelStore(clock);
  const random = seededRandom(1);
  const said: Said[] = [];
  const counted = new Map<string, number>();
  const say =
    (level: string) =>
    (fields: Said["fields"], text: string): void => {
      said.push({ level, text, fields });
    };
  const portsOver = (over: Store): EnginePorts => ({
    store: over,
    clock,
    timers,
    random,
    ids: seededIds(random),
    log: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
    tracer: { span: async (_name, inside) => await inside() },
    meter: {
      count: (name, _labels, by = 1) => {
        counted.set(name, (counted.get(name) ?? 0) + by);
      },
      gauge: () => undefined,
      observe: () => undefined,
    },
    resources: {
      draft: (_kind, resource) => plainDraft(resource),
      applyChild: async () => await Promise.reject(new Error("not in this rig")),
      deleteChild: async () => await Promise.reject(new Error("not in this rig")),
      kindOf: () => undefined,
      isNamespaced: () => true,
      recordEvent: async () => undefined,
      weightOf: () => 1,
    },
  });
  return { clock, timers, store, said, counted, ports: portsOver(store), portsOver };
}

export function plainDraft(resource: Resource): Draft {
  return draftOf({ versions: [], fieldRules: [] }, resource);
}

export function keyOf(name: string, namespace = "team", kind = widgets): ResourceKey {
  return { kind, namespace, name };
}

interface Given {
  readonly spec?: JsonObject;
  readonly metadata?: Partial<Metadata>;
}

function newResource(key: ResourceKey, { spec = {}, metadata }: Given = {}): Resource {
  return {
    apiVersion: "test/v1",
    kind: "Widget",
    metadata: {
      name: key.name,
      namespace: key.namespace,
      uid: `uid-${key.name}`,
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
    spec,
  };
}

/** Stores a new resource and makes it due, as the write path does. */
export async function create(store: Store, key: ResourceKey, given: Given = {}): Promise<void> {
  const resource = newResource(key, given);
  const uid = resource.metadata.uid;
  const draft = plainDraft(resource);
  const due = { kind: "wake", afterMs: 0 } as const;
  await committed(store, {
    kind: "put",
    cause: systemCause,
    key,
    uid,
    draft,
    when: { kind: "absent" },
    due,
  });
}

/** Fills an empty store with many resources that are due, which one by one would take minutes. */
export async function fill(store: Store, keys: readonly ResourceKey[]): Promise<void> {
  async function* rows(): AsyncIterable<DumpRow> {
    yield { row: "meta", head: keys.length, compacted: 0, lastToken: 0 };
    for (const [index, key] of keys.entries()) {
      const { body, terms } = plainDraft(newResource(key));
      const digest = documentDigest(body);
      const made = { revision: index + 1, previous: null, type: "created", atMs: 0 } as const;
      const uid = `uid-${key.name}`;
      yield { row: "change", ...made, key, uid, terms, digest, document: body, sealed: null };
    }
    for (const key of keys) yield { row: "due", key, afterMs: 0, attempts: 0 };
  }
  await store.load(rows());
}

/** The store as a process sees it whose connection can be cut and mended. */
export function cuttable(store: Store): {
  readonly view: Store;
  readonly cut: () => void;
  readonly mend: () => void;
} {
  let isCut = false;
  const view = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function" || name === "workTick") return bound(value, target);
      return async (...given: readonly unknown[]): Promise<unknown> => {
        if (isCut) throw new SetpointError("store.unavailable", "the connection is cut");
        return await (Reflect.apply(value, target, given) as unknown);
      };
    },
  });
  return {
    view,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
    },
  };
}

function bound(value: unknown, target: object): unknown {
  return typeof value === "function" ? (value.bind(target) as unknown) : value;
}

/** Writes what `edit` makes of the stored document, and wakes it, as the write path does. */
export async function change(
  store: Store,
  key: ResourceKey,
  edit: (resource: Resource) => Resource,
): Promise<void> {
  const record = await store.get(key);
  assert.ok(record !== undefined, `${key.name} is there`);
  const next = edit(decodeDocument(record.body, record.revision));
  const when = { kind: "revision", revision: record.revision } as const;
  const due = { kind: "wake", afterMs: 0 } as const;
  const uid = record.uid;
  await committed(store, {
    kind: "put",
    cause: systemCause,
    key,
    uid,
    draft: plainDraft(next),
    when,
    due,
  });
}

export function edited(resource: Resource, spec: JsonObject): Resource {
  const generation = resource.metadata.generation + 1;
  return { ...resource, spec, metadata: { ...resource.metadata, generation } };
}

export function annotated(resource: Resource, name: string, value: string): Resource {
  const annotations = { ...resource.metadata.annotations, [name]: value };
  return { ...resource, metadata: { ...resource.metadata, annotations } };
}

export function deleted(resource: Resource): Resource {
  const deletionTimestamp = "2026-01-01T00:00:10Z";
  const generation = resource.metadata.generation + 1;
  return { ...resource, metadata: { ...resource.metadata, deletionTimestamp, generation } };
}

export async function read(store: Store, key: ResourceKey): Promise<Resource | undefined> {
  const record = await store.get(key);
  return record && decodeDocument(record.body, record.revision);
}

export async function statusIn(store: Store, key: ResourceKey): Promise<JsonObject> {
  const resource = await read(store, key);
  assert.ok(resource !== undefined, `${key.name} is there`);
  return statusOf(resource);
}

/** "True/Available", or undefined. */
export async function conditionIn(
  store: Store,
  key: ResourceKey,
  type: string,
): Promise<string | undefined> {
  const found = conditionsOf(await statusIn(store, key)).find((each) => each.type === type);
  return found && `${found.status}/${found.reason}`;
}

async function committed(store: Store, write: Write): Promise<void> {
  const [answer] = await store.commit([write]);
  if (answer?.kind === "refused") throw answer.error;
}
