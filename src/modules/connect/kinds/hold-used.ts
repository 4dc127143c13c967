// Keeps a RestKind and a Connection for as long as resources need them: what these made in a
// service can be taken back only by both. Each is held by a finalizer, which is let go of once it
// is deleted and the last resource that needs it is gone; so they may be deleted in any order.

import { keyedWorker } from "../../../intents/housekeeping/keyed-worker.ts";
import { changeAsSystem } from "../../../intents/housekeeping/system-change.ts";
import { writeCondition } from "../../../intents/housekeeping/write-condition.ts";
import type { LiveRecord } from "../../../intents/live-view.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isHeldByEngine } from "../../../kernel/engine-finalizers.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { isMadeOutside } from "../../../kernel/kept-object.ts";
import { keptTerm } from "../../../kernel/kept-terms.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { connectGroup, connectionsKind } from "./connection-kind.ts";
import { restKindsKind } from "./rest-kind-kind.ts";

export const holdFinalizer = `${connectGroup}/in-use`;

const lookAgainMs = 1_000;

export interface HoldUsedInput {
  readonly intents: Intents;
  readonly timers: Timers;
  readonly onError: (error: unknown, name: string) => void;
}

const plurals = { [restKindsKind]: "restkinds", [connectionsKind]: "connections" } as const;
type HeldKind = keyof typeof plurals;

export function holdUsed({ intents, timers, onError }: HoldUsedInput): AsyncDisposable {
  const worker = keyedWorker({
    timers,
    onError,
    work: async (text) => {
      const [kind, name = ""] = text.split(" ");
      return await settle(intents, kind as HeldKind, name);
    },
  });
  for (const kind of Object.keys(plurals)) {
    intents.live.follow(kind, (after) => {
      if (after !== undefined && isUnsettled(after)) worker.add(`${kind} ${after.key.name}`);
    });
  }
  return worker;
}

/** Whether it has to get the finalizer, or to lose it. */
function isUnsettled({ resource: { metadata } }: LiveRecord): boolean {
  return isEnding(metadata) === isHeld(metadata);
}

function isEnding({ deletionTimestamp }: Resource["metadata"]): boolean {
  return deletionTimestamp !== undefined;
}

function isHeld({ finalizers = [] }: Resource["metadata"]): boolean {
  return finalizers.includes(holdFinalizer);
}

async function settle(intents: Intents, kind: HeldKind, name: string): Promise<number | undefined> {
  const record = intents.live.get({ kind, namespace: "", name });
  if (record === undefined || !isUnsettled(record)) return undefined;
  const place = { group: connectGroup, plural: plurals[kind], name };
  const { metadata } = record.resource;
  const [user] = isEnding(metadata) ? await usersOf(intents, kind, name, 1) : [];
  if (user === undefined) {
    await changeAsSystem(intents, { ...place, edit: isEnding(metadata) ? released : held });
    return undefined;
  }
  await writeCondition(intents, place, {
    type: "Released",
    status: "False",
    reason: "InUse",
    // Without the name of one: that would be another text for each that goes.
    message: `held by resources of the kind ${user.resource.kind}, until the last of them is gone`,
    observedGeneration: metadata.generation,
  });
  return lookAgainMs;
}

function held(resource: Resource): Resource {
  const { metadata } = resource;
  if (isEnding(metadata) || isHeld(metadata)) return resource;
  const finalizers = [...(metadata.finalizers ?? []), holdFinalizer];
  return { ...resource, metadata: { ...metadata, finalizers } };
}

function released(resource: Resource): Resource {
  const { metadata } = resource;
  const finalizers = (metadata.finalizers ?? []).filter((each) => each !== holdFinalizer);
  return { ...resource, metadata: { ...metadata, finalizers } };
}

export interface User {
  readonly key: ResourceKey;
  readonly resource: Resource;
}

/** Resources that could not go without a RestKind or a Connection, up to a number of them. */
export async function usersOf(
  intents: Pick<Intents, "live" | "store">,
  kind: HeldKind,
  name: string,
  most: number,
): Promise<readonly User[]> {
  if (kind === restKindsKind) {
    const record = intents.live.get({ kind, namespace: "", name });
    return await someOf(intents, { kind: name }, needs(record?.resource), most);
  }
  const users: User[] = [];
  for (const { key, resource } of intents.live.all(restKindsKind)) {
    if (users.length >= most) break;
    const isNeeding = needs(resource);
    const isUsual = textAt(resource, "spec", "connection") === name;
    const own = (each: Resource): string => textAt(each["connect"], "connection");
    const query = isUsual ? { kind: key.name } : { kind: key.name, fields: named(name) };
    const isWanted = isUsual
      ? (each: Resource) => isNeeding(each) && ["", name].includes(own(each))
      : isNeeding;
    users.push(...(await someOf(intents, query, isWanted, most - users.length)));
  }
  return users;
}

/** Whether resources of the kind are held for what uses them. */
export function isHeldKind(kind: string): kind is HeldKind {
  return Object.hasOwn(plurals, kind);
}

/** Where a module has the kind, only what was made in a service before needs the RestKind. */
function needs(restKind: Resource | undefined): (resource: Resource) => boolean {
  const conditions = objectsAt(restKind, "status", "conditions");
  const isModules = conditions.some(
    (each) => textAt(each, "type") === "Accepted" && textAt(each, "reason") === "Conflict",
  );
  return isModules ? isMadeOutside : () => true;
}

type Query = Parameters<Intents["store"]["list"]>[0];

function named(connection: string): NonNullable<Query["fields"]> {
  return [{ path: keptTerm.connection, operator: "in", values: [connection] }];
}

/** What the reconciler does not hold has nothing to be taken back, and goes without it. */
async function someOf(
  { store }: Pick<Intents, "store">,
  query: Query,
  isWanted: (resource: Resource) => boolean,
  most: number,
): Promise<readonly User[]> {
  const found: User[] = [];
  let page = await store.list({ ...query, limit: 100 });
  for (;;) {
    for (const { key, body, revision } of page.records) {
      const resource = decodeDocument(body, revision);
      if (isHeldByEngine(resource) && isWanted(resource)) found.push({ key, resource });
      if (found.length >= most) return found;
    }
    if (page.next === undefined) return found;
    page = await store.list({ ...query, limit: 100, from: page.next });
  }
}
