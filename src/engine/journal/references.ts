// What a run looked at beyond its own resource. Each look is an edge: when the other changes, this
// one is woken. Edges are stored before the run ends, and what is new among them is then read once
// more: a change is either seen by that read, or comes later in the log than the edge does, where
// the follower of the log (wake-ups.ts) knows the edge. A run whose edges are as before stores
// nothing.

import { decodeDocument } from "../../kernel/document.ts";
import { getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { compareKeys, keyText } from "../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Store, StoredRecord } from "../../store/port.ts";
import { unusable } from "./journal.ts";
import type { Journal } from "./journal.ts";
import type { Blocker, Outcome } from "../outcome.ts";
import type { Resources, RunScope } from "../ports.ts";
import type { Reference, References } from "../reconciler.ts";
import { readRecord } from "../run/read-record.ts";
import { saidBy } from "../wakes/quiet-status.ts";
import { wake } from "../wakes/wakes.ts";

export interface RunReferences extends References {
  /**
   * To be called when the run has its outcome and before the claim is given back. Should something
   * have changed before its edge was stored, the resource is woken, which the store keeps until
   * the claim is given back.
   */
  settle(outcome: Outcome): Promise<void>;
}

export interface ReferencePorts {
  readonly scope: Pick<RunScope, "key" | "uid" | "commit">;
  readonly journal: Journal;
  readonly store: Pick<Store, "get" | "getMany">;
  readonly resources: Pick<Resources, "isNamespaced" | "read" | "quietKinds">;
}

/** An edge of this run, and how to tell whether the run would go differently now. */
interface Edge {
  readonly key: ResourceKey;
  isOutdated(now: StoredRecord | undefined): boolean;
}

export function referencesOf({ scope, journal, store, resources }: ReferencePorts): RunReferences {
  const edges = new Map<string, Edge>();
  const self = keyText(scope.key);

  /** The first look counts, as the run may have gone by it. */
  const add = (edge: Edge): void => {
    const text = keyText(edge.key);
    if (text === self || edges.has(text)) return;
    if (edges.size >= limits.maxReferences) {
      const message = `the resource refers to more than ${limits.maxReferences} other resources`;
      throw unusable("TooManyReferences", message);
    }
    edges.set(text, edge);
  };

  return {
    get: async (reference) => {
      checkServed(reference.kind, resources);
      const key = referencedKey(scope.key, reference, resources);
      const record = await store.get(key);
      const isQuiet = resources.quietKinds?.includes(reference.kind) === true;
      add({ key, isOutdated: (now) => isOther(record, now, isQuiet) });
      return record === undefined ? undefined : await readRecord(resources, record);
    },
    settle: async (outcome) => {
      if (outcome.kind === "waiting") {
        for (const blocker of outcome.on) {
          const key = referencedKey(scope.key, blocker, resources);
          const looked = edges.get(keyText(key));
          add({ key, isOutdated: (now) => blocker.isThere === true || isOver(blocker, now) });
          if (looked === undefined) continue;
          // What made the run wait may be from an earlier read than the look, such as a list.
          const isOutdated: Edge["isOutdated"] = (now) =>
            looked.isOutdated(now) || isOver(blocker, now);
          edges.set(keyText(key), { key, isOutdated });
        }
      }
      const stored = (await journal.read()).references;
      const known = new Set(stored.map(keyText));
      const fresh = [...edges.values()].filter(({ key }) => !known.has(keyText(key)));
      // A run that failed may not have come to all of its references.
      const isPartial =
        outcome.kind === "failed" && stored.length + fresh.length <= limits.maxReferences;
      const kept = isPartial ? stored : stored.filter((key) => edges.has(keyText(key)));
      if (fresh.length === 0 && kept.length === stored.length) return;
      const references = [...kept, ...fresh.map(({ key }) => key)].toSorted(compareKeys);
      await journal.change((content) => ({ ...content, references }));
      if (fresh.length === 0) return;
      const now = await store.getMany(fresh.map(({ key }) => key));
      const isOutdated = fresh.some((edge, index) => edge.isOutdated(now[index]));
      if (isOutdated) await scope.commit([wake(scope.key, scope.uid)]);
    },
  };
}

function isOther(
  before: StoredRecord | undefined,
  now: StoredRecord | undefined,
  isQuiet: boolean,
): boolean {
  if (before?.revision === now?.revision) return false;
  if (!isQuiet || before === undefined || now === undefined) return true;
  const said = saidBy(before.uid, before.body);
  return said === undefined || said !== saidBy(now.uid, now.body);
}

/** The key that is meant; the namespace is that of the resource when it is left out. */
export function referencedKey(
  from: ResourceKey,
  { kind, namespace = from.namespace, name }: Reference,
  resources: Pick<Resources, "isNamespaced">,
): ResourceKey {
  return { kind, namespace: resources.isNamespaced(kind) === false ? "" : namespace, name };
}

/** Nothing would ever end a wait for what is of no kind. */
export function checkWaitedFor(outcome: Outcome, resources: Pick<Resources, "isNamespaced">): void {
  if (outcome.kind !== "waiting") return;
  for (const { kind } of outcome.on) checkServed(kind, resources);
}

/** A misspelt kind would look as if nothing of it were there, for ever. */
export function checkServed(kind: string, resources: Pick<Resources, "isNamespaced">): void {
  if (resources.isNamespaced(kind) !== undefined) return;
  const named = 'kinds are named PLURAL.GROUP, such as "configmaps" or "databases.example.com"';
  throw unusable("UnknownKind", `no kind ${JSON.stringify(kind)} is served; ${named}`);
}

/** Whether a wait has ended, as far as its blocker says: what is there and unfit may be gone. */
function isOver({ condition, isThere }: Blocker, record: StoredRecord | undefined): boolean {
  if (record === undefined) return isThere === true;
  if (isThere === true) return false;
  return condition === undefined || hasCondition(decodeDocument(record.body, 0), condition);
}

function hasCondition({ status }: Resource, type: string): boolean {
  const conditions = isJsonObject(status) ? getOwn(status, "conditions") : undefined;
  if (!isJsonArray(conditions)) return false;
  return conditions.some(
    (condition: Json) =>
      isJsonObject(condition) && condition["type"] === type && condition["status"] === "True",
  );
}
