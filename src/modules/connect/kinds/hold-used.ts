// Keeps a RestKind and a Connection for as long as resources need them: what these made in a
// service can be taken back only by both. Each is held by a finalizer, which is let go of once it
// is deleted and the last resource that needs it is gone; so they may be deleted in any order.

import { finalizer as reconcilerFinalizer } from "../../../engine/names.ts";
import { keyedWorker } from "../../../intents/housekeeping/keyed-worker.ts";
import { changeAsSystem } from "../../../intents/housekeeping/system-change.ts";
import { writeCondition } from "../../../intents/housekeeping/write-condition.ts";
import type { LiveRecord } from "../../../intents/live-view.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { isMadeOutside } from "../../../kernel/kept-object.ts";
import { keptTerm } from "../../../kernel/kept-terms.ts";
import type { Resource } from "../../../kernel/resource.ts";
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
  const user = isEnding(metadata) ? await userOf(intents, kind, name) : undefined;
  if (user === undefined) {
    await changeAsSystem(intents, { ...place, edit: isEnding(metadata) ? released : held });
    return undefined;
  }
  await writeCondition(intents, place, {
    type: "Released",
    status: "False",
    reason: "InUse",
    // Without the name of one: that would be another text for each that goes.
    message: `It goes when the last resource is gone that needs it, of the kind ${user.kind}.`,
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

/** A resource that could not go without it. */
async function userOf(
  intents: Intents,
  kind: HeldKind,
  name: string,
): Promise<Resource | undefined> {
  if (kind === restKindsKind) {
    const record = intents.live.get({ kind, namespace: "", name });
    return await firstOf(intents, { kind: name }, needs(record?.resource));
  }
  for (const { key, resource } of intents.live.all(restKindsKind)) {
    const isNeeding = needs(resource);
    const isUsual = textAt(resource, "spec", "connection") === name;
    const own = (each: Resource): string => textAt(each["connect"], "connection");
    const found = isUsual
      ? await firstOf(intents, { kind: key.name }, (each) => {
          return isNeeding(each) && ["", name].includes(own(each));
        })
      : await firstOf(intents, { kind: key.name, fields: named(name) }, isNeeding);
    if (found !== undefined) return found;
  }
  return undefined;
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

/** Only what the reconciler holds has something to be taken back. */
async function firstOf(
  { store }: Intents,
  query: Query,
  isWanted: (resource: Resource) => boolean,
): Promise<Resource | undefined> {
  let page = await store.list({ ...query, limit: 100 });
  for (;;) {
    const found = page.records
      .map(({ body, revision }) => decodeDocument(body, revision))
      .find((each) => each.metadata.finalizers?.includes(reconcilerFinalizer) && isWanted(each));
    if (found !== undefined || page.next === undefined) return found;
    page = await store.list({ ...query, limit: 100, from: page.next });
  }
}
