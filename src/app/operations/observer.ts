// What the resources of this control plane look like to one user who asks why something is not
// ready. Each is shown only to who may get it; of the others not even that they exist is told.

import { defaultLeaseMs } from "../../engine/engine.ts";
import type { Holder, KnownWorkers, Subject } from "../../engine/why/diagnosis.ts";
import type { Observer } from "../../engine/why/explain.ts";
import type { Seen } from "../../engine/why/suspicion.ts";
import { accessTo } from "../../intents/auth/access-to.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { definitionsKind } from "../../intents/kinds/definition-kinds.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { withoutHidden } from "../../intents/write/hidden-fields.ts";
import { annotations } from "../../kernel/annotations.ts";
import { decodeDocument } from "../../kernel/document.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { LiveClaim, StoredRecord, WorkState } from "../../store/port.ts";
import { brokenModuleText } from "../broken-module.ts";
import type { BrokenModule } from "../broken-module.ts";
import type { ControlPlane } from "../control-plane.ts";
import type { Worker } from "../reconciling.ts";

export interface Observed extends Pick<ControlPlane, "intents" | "rbac" | "owners" | "modules"> {
  /** The workers of this process, where it has any. */
  readonly worker: Pick<Worker, "running" | "name" | "leaseMs" | "kinds"> | undefined;
  /** Whether no other process has the store. */
  readonly isAlone: boolean;
  /** The modules that this process cannot use. */
  readonly broken?: () => readonly BrokenModule[];
}

/** What is left of a namespace or a kind that is being deleted: enough to see what it is. */
const shownContent = 100;
const shownOfKind = 20;
/** Documents may be large, and all of one read are in memory at once. */
const readAtOnce = 50;

export function observerFor(plane: Observed, user: UserInfo): Observer {
  const { kinds, store } = plane.intents;
  return {
    named: (id) => {
      const served = kinds.byId(id);
      if (served === undefined) return undefined;
      const { kind, preferred } = served;
      const isNamespaced = kind.scope === "Namespaced";
      return { apiVersion: preferred.apiVersion, kind: kind.names.kind, isNamespaced };
    },
    look: async (keys) => {
      const visible = keys.filter((key) => mayGet(plane, user, key));
      const found = new Map<ResourceKey, Seen>();
      for (let at = 0; at < visible.length; at += readAtOnce) {
        const some = visible.slice(at, at + readAtOnce);
        const [records, states] = await Promise.all([store.getMany(some), store.workOf(some)]);
        for (const [index, key] of some.entries()) {
          found.set(key, await seenOf(plane, records[index], states[index]));
        }
      }
      return keys.map((key) => found.get(key) ?? { kind: "hidden" });
    },
  };
}

/** Whether a user may read a resource, be it there or not. */
export function mayGet(
  { intents, rbac }: Pick<ControlPlane, "intents" | "rbac">,
  user: UserInfo,
  key: ResourceKey,
): boolean {
  const served = intents.kinds.byId(key.kind);
  // What no kind serves cannot be there, which is no secret.
  if (served === undefined) return true;
  return rbac.authorize(user, accessTo(served, key)).allowed;
}

async function seenOf(
  plane: Observed,
  record: StoredRecord | undefined,
  work: WorkState | undefined,
): Promise<Seen> {
  const served = record === undefined ? undefined : plane.intents.kinds.byId(record.key.kind);
  if (record === undefined || served === undefined) return { kind: "missing" };
  const { key } = record;
  // As it is stored: a converter that does not answer must not keep anybody from asking why.
  const stored = decodeDocument(record.body, record.revision);
  const resource = served.hasHidden ? withoutHidden(served.kind, stored) : stored;
  const subject: Subject = {
    key,
    resource,
    work,
    runningMs: work?.claim === undefined ? undefined : runningMs(plane, work.claim.token),
    silentMs: work?.claim === undefined ? undefined : silentMs(plane, work.claim),
    isReconciled: served.isReconciled,
    workers: workersFor(plane, key.kind),
    unusable: unusableFor(plane, served),
    isBuiltIn: served.kind.origin === "built-in",
    isOwn: served.isDueAfter !== undefined,
    isRecord: isRecord(plane, served),
    ...unreportedOf(plane, key),
    holders: await holdersOf(plane, key, resource),
    dependents: plane.owners.dependentsOf(record.uid),
    content: await contentOf(plane, key, resource),
    endings: endingsOf(plane, served, key),
  };
  return { kind: "found", subject };
}

export function workersFor(
  { worker, isAlone }: Pick<Observed, "isAlone"> & { readonly worker: Kinds | undefined },
  kind: string,
): KnownWorkers {
  if (worker?.kinds.has(kind) === true) return "here";
  return isAlone ? "none" : "unknown";
}

type Kinds = Pick<Worker, "kinds">;

function runningMs({ worker, intents }: Observed, token: number): number | undefined {
  const run = worker?.running().find((each) => each.token === token);
  return run === undefined ? undefined : Math.max(0, intents.clock.nowMs() - run.startedMs);
}

/** Servers that share a store have leases of one length, as far as anybody here knows. */
function silentMs({ worker }: Observed, { owner, expiresInMs }: LiveClaim): number | undefined {
  if (owner === worker?.name) return undefined;
  return Math.max(0, (worker?.leaseMs ?? defaultLeaseMs) - expiresInMs);
}

/** The namespace and the definition, where they are being deleted. */
function endingsOf(
  { intents: { live } }: Observed,
  { definition }: ServedKind,
  { namespace }: ResourceKey,
): readonly ResourceKey[] {
  const places = [
    { kind: "namespaces", namespace: "", name: namespace },
    { kind: definitionsKind, namespace: "", name: definition?.name ?? "" },
  ];
  return places.filter((place) => {
    return live.get(place)?.resource.metadata.deletionTimestamp !== undefined;
  });
}

const mostUnusable = 3;

/** The problems of modules that may be the ones with the reconciler of a kind. */
function unusableFor(plane: Observed, { id, definition }: ServedKind): readonly string[] {
  const { worker, broken = () => [], intents } = plane;
  if (definition === undefined || worker?.kinds.has(id) === true) return [];
  const place = { kind: definitionsKind, namespace: "", name: definition.name };
  const { annotations: marks = {} } = intents.live.get(place)?.resource.metadata ?? {};
  const owner = marks[annotations.module];
  return broken()
    .filter(({ name }) => name === undefined || name === owner || owner === undefined)
    .slice(0, mostUnusable)
    .map(brokenModuleText);
}

/** True for kinds that a module installed without a reconciler: no work follows after a write. */
function isRecord(
  { intents: { live } }: Observed,
  { definition, isReconciled }: ServedKind,
): boolean {
  const place = { kind: definitionsKind, namespace: "", name: definition?.name ?? "" };
  const { annotations: marks = {} } = live.get(place)?.resource.metadata ?? {};
  return !isReconciled && Object.hasOwn(marks, annotations.module);
}

/** The resources that still need it while it is deleted, as far as modules know. */
async function holdersOf(
  { modules }: Observed,
  key: ResourceKey,
  resource: Resource,
): Promise<readonly Holder[]> {
  const found: Holder[] = [];
  for (const { holders } of modules.explainers) {
    found.push(...((await holders?.(key, resource)) ?? []));
  }
  return found;
}

function unreportedOf({ modules }: Observed, key: ResourceKey): Pick<Subject, "unreported"> {
  for (const explainer of modules.explainers) {
    const unreported = explainer.unreported?.(key);
    if (unreported !== undefined) return { unreported };
  }
  return {};
}

async function contentOf(
  { intents: { store, kinds } }: Observed,
  { kind, name }: ResourceKey,
  resource: Resource,
): Promise<readonly ResourceKey[]> {
  const isEnding = resource.metadata.deletionTimestamp !== undefined;
  if (!isEnding || (kind !== "namespaces" && kind !== definitionsKind)) return [];
  const of = kind === definitionsKind ? [name] : namespacedKinds(kinds.all());
  const inside = kind === definitionsKind ? {} : { namespace: name };
  const content: ResourceKey[] = [];
  for (const id of of) {
    if (content.length >= shownContent) break;
    const { records } = await store.list({ kind: id, ...inside, limit: shownOfKind });
    content.push(...records.map(({ key }) => key));
  }
  return content;
}

/** Two kinds may show the same resources. */
function namespacedKinds(all: readonly ServedKind[]): readonly string[] {
  const namespaced = all.filter(({ kind, verbs }) => {
    return kind.scope === "Namespaced" && verbs.includes("delete");
  });
  return [...new Set(namespaced.map(({ id }) => id))];
}
