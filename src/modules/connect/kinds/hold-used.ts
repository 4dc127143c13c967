// Keeps a RestKind and a Connection for as long as resources need them, because both are needed to
// delete an object in a service. Each has a finalizer, which is removed after its deletion was
// requested and the last resource that needs it was deleted. So they may be deleted in any order.
// One process at a time does this for all.

import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import { keyedWorker } from "../../../intents/housekeeping/keyed-worker.ts";
import { changeAsSystem } from "../../../intents/housekeeping/system-change.ts";
import { writeCondition } from "../../../intents/housekeeping/write-condition.ts";
import type { LiveRecord, LiveView } from "../../../intents/live-view.ts";
import { allPages } from "../../../intents/read/all-pages.ts";
import { systemOptions } from "../../../intents/bootstrap.ts";
import type { Intents, WriteOptions } from "../../../intents/request.ts";
import type { ConditionInput } from "../../../kernel/conditions.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isHeldByEngine } from "../../../kernel/engine-finalizers.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { isMadeOutside } from "./kept-object.ts";
import { keptTerm } from "./kept-terms.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { untilAborted } from "../../../kernel/until-aborted.ts";
import type { Store } from "../../../store/port.ts";
import { connectGroup, connectionsKind } from "./connection-kind.ts";
import { restKindsKind } from "./rest-kind-kind.ts";

export const holdFinalizer = `${connectGroup}/in-use`;

const lookAgainMs = 1_000;

export interface HoldUsedInput {
  /** Without policies. */
  readonly intents: Intents;
  readonly timers: Timers;
  readonly onError: (error: unknown, name: string) => void;
}

const plurals = { [restKindsKind]: "restkinds", [connectionsKind]: "connections" } as const;
type HeldKind = keyof typeof plurals;

export function holdUsed({ intents, timers, onError }: HoldUsedInput): LeaderTask {
  return {
    name: "hold used connections",
    lead: async (claim, signal) => {
      const options = { ...systemOptions, claim };
      await using worker = keyedWorker({
        timers,
        onError,
        work: async (text) => {
          const [kind, name = ""] = text.split(" ");
          return await settle(intents, kind as HeldKind, name, options);
        },
      });
      const unfollows = Object.keys(plurals).map((kind) =>
        intents.live.follow(kind, (after) => {
          if (after !== undefined && isUnsettled(after)) worker.add(`${kind} ${after.key.name}`);
        }),
      );
      await untilAborted(signal);
      for (const unfollow of unfollows) unfollow();
    },
  };
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

async function settle(
  intents: Intents,
  kind: HeldKind,
  name: string,
  options: WriteOptions,
): Promise<number | undefined> {
  const record = intents.live.get({ kind, namespace: "", name });
  if (record === undefined || !isUnsettled(record)) return undefined;
  const place = { group: connectGroup, plural: plurals[kind], name };
  const { metadata } = record.resource;
  const [user] = isEnding(metadata) ? await usersOf(intents, kind, name, 1) : [];
  if (user === undefined) {
    const edit = isEnding(metadata) ? released : held;
    await changeAsSystem(intents, { ...place, edit, options });
    return undefined;
  }
  const condition: ConditionInput = {
    type: "Released",
    status: "False",
    reason: "InUse",
    // Names no resource, so that the text is the same after each deletion.
    message: `used by resources of the kind ${user.resource.kind}; deleted after the last of them`,
    observedGeneration: metadata.generation,
  };
  await writeCondition(intents, place, condition, options);
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

export interface Readers {
  readonly live: LiveView;
  readonly store: Pick<Store, "list">;
}

export interface User {
  readonly key: ResourceKey;
  readonly resource: Resource;
}

/** Resources that could not go without a RestKind or a Connection, up to a number of them. */
export async function usersOf(
  intents: Readers,
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

type Query = Parameters<Store["list"]>[0];

function named(connection: string): NonNullable<Query["fields"]> {
  return [{ path: keptTerm.connection, operator: "in", values: [connection] }];
}

/** What the reconciler does not hold has nothing to be taken back, and goes without it. */
async function someOf(
  { store }: Pick<Readers, "store">,
  query: Query,
  isWanted: (resource: Resource) => boolean,
  most: number,
): Promise<readonly User[]> {
  const found: User[] = [];
  for await (const page of allPages(store, { ...query, limit: 100 }, query.kind)) {
    for (const { key, body, revision } of page.records) {
      const resource = decodeDocument(body, revision);
      if (isHeldByEngine(resource) && isWanted(resource)) found.push({ key, resource });
      if (found.length >= most) return found;
    }
  }
  return found;
}
