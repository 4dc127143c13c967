// The write path as the engine uses it, over the network of one process: what it does for children
// is read, compare, commit under the claim of their owner, and again when another was faster.

import { SetpointError } from "../../src/kernel/errors.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { equalJson } from "../../src/kernel/json.ts";
import type { Json } from "../../src/kernel/json.ts";
import { ownerUids } from "../../src/kernel/owners.ts";
import type { Resource, ResourceKey } from "../../src/kernel/resource.ts";
import { timeText } from "../../src/kernel/clock.ts";
import type { ChildChange, EngineEvent, Resources } from "../../src/engine/ports.ts";
import type { ChildDocument } from "../../src/engine/reconciler.ts";
import type { Precondition, Store, Write } from "../../src/store/port.ts";
import type { CallKind, Network } from "./network.ts";
import { deletionOf, whenAt } from "./people.ts";
import type { SimulatedProcess } from "./process.ts";
import { simDraft, simKinds } from "./sim-kinds.ts";
import { systemCause } from "../../src/kernel/cause.ts";

const maxTries = 5;
const recordEvent: CallKind = { name: "recordEvent", hasEffect: true, isStore: true };

export interface ResourcesPlace {
  readonly process: SimulatedProcess;
  readonly network: Network;
  readonly store: Store;
  readonly onEvent: (event: EngineEvent) => void;
  readonly weightOf: (namespace: string) => number;
}

export function simResources(place: ResourcesPlace): Resources {
  const { process, network, onEvent, weightOf } = place;
  return {
    draft: (_, resource) => simDraft(resource),
    applyChild: async (change) => await applyChild(place, change),
    deleteChild: async (change) => await deleteChild(place, change),
    kindOf: (_, kind) => Object.keys(simKinds).find((id) => simKinds[id] === kind),
    isNamespaced: (kind) => (kind in simKinds ? true : undefined),
    recordEvent: async (event) =>
      await network.call(process, recordEvent, async () => await Promise.resolve(onEvent(event))),
    weightOf,
  };
}

async function applyChild(
  place: ResourcesPlace,
  change: ChildChange & { readonly document: ChildDocument },
): Promise<Resource> {
  const { owner, ownerKey, document } = change;
  const kind = Object.keys(simKinds).find((id) => simKinds[id] === document.kind) ?? "";
  const { name, namespace = ownerKey.namespace } = document.metadata;
  const key: ResourceKey = { kind, namespace, name };
  return await persist(async () => {
    const old = await read(place, key);
    if (old !== undefined && !ownerUids(old).includes(owner.metadata.uid)) throw notOwned(key);
    const wanted = childOf(place, change, old);
    if (old !== undefined && equalJson(wanted, old)) return old;
    const when: Precondition = old === undefined ? { kind: "absent" } : whenAt(old);
    const revision = await commit(place, {
      kind: "put",
      cause: systemCause,
      key,
      uid: wanted.metadata.uid,
      draft: simDraft(wanted),
      when,
      claim: change.claim,
      due: { kind: "wake", afterMs: 0 },
    });
    const metadata = { ...wanted.metadata, resourceVersion: String(revision) };
    return { ...wanted, metadata };
  });
}

function childOf(
  { process }: ResourcesPlace,
  { owner, document }: ChildChange & { readonly document: ChildDocument },
  old: Resource | undefined,
): Resource {
  const spec: Json = document["spec"] ?? {};
  if (old !== undefined) {
    if (equalJson(old.spec, spec) || old.metadata.deletionTimestamp !== undefined) return old;
    const generation = old.metadata.generation + 1;
    return { ...old, spec, metadata: { ...old.metadata, generation } };
  }
  const { apiVersion, kind, metadata } = owner;
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  return {
    apiVersion: document.apiVersion,
    kind: document.kind,
    metadata: {
      name: document.metadata.name,
      namespace: metadata.namespace ?? "",
      uid: process.ids.uid(),
      generation: 1,
      creationTimestamp: timeText(process.clock.nowMs()),
      ownerReferences: [reference],
    },
    spec,
  };
}

async function deleteChild(
  place: ResourcesPlace,
  change: ChildChange & { readonly key: ResourceKey },
): Promise<boolean> {
  const { owner, key, claim } = change;
  return await persist(async () => {
    const old = await read(place, key);
    if (old === undefined) return false;
    if (!ownerUids(old).includes(owner.metadata.uid)) throw notOwned(key);
    if (old.metadata.deletionTimestamp !== undefined) return true;
    await commit(place, { ...deletionOf(key, old, place.process.clock.nowMs()), claim });
    return true;
  });
}

async function read({ store }: ResourcesPlace, key: ResourceKey): Promise<Resource | undefined> {
  const record = await store.get(key);
  return record === undefined ? undefined : decodeDocument(record.body, record.revision);
}

async function commit({ store }: ResourcesPlace, write: Write): Promise<number> {
  const [answer] = await store.commit([write]);
  if (answer === undefined) throw new Error("the store answers each write");
  if (answer.kind === "refused") throw answer.error;
  return answer.revision;
}

async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isLostRace =
        error instanceof SetpointError &&
        ["resource.conflict", "resource.already_exists", "resource.not_found"].includes(error.code);
      if (!isLostRace || attempt >= maxTries) throw error;
    }
  }
}

function notOwned({ name }: ResourceKey): SetpointError {
  return new SetpointError("resource.conflict", `${name} belongs to somebody else`);
}
