// Reads the events of a change: finds the state before, derives what the change means, and shows
// the resource as a reader of the API would see it. Fields that the store encrypts never enter an
// event, also those that readers of the API see, such as the data of a Secret.

import { lastAppliedAnnotation } from "../../../kernel/apply/last-applied.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { keyText } from "../../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { KindRegistry } from "../../../intents/kinds/registry.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import { shownState } from "../../../intents/read/erased.ts";
import { isShownAsStored, presentResource } from "../../../intents/read/present.ts";
import { withoutHidden } from "../../../intents/write/hidden-fields.ts";
import type { Change, Store } from "../../../store/port.ts";
import { busLimits } from "../limits.ts";
import { messageOf } from "./cloud-event.ts";
import { derivedEvents, factsOf } from "./derive-events.ts";
import type { DerivedEvent, Facts } from "./derive-events.ts";
import type { PendingEvent } from "./lanes.ts";
import { groupOf } from "./wanted-kinds.ts";
import type { WantedKinds } from "./wanted-kinds.ts";

export interface EventReaderInput {
  readonly store: Pick<Store, "history">;
  readonly kinds: Pick<KindRegistry, "byId">;
  readonly wanted: WantedKinds;
  readonly exchange: string;
  readonly source: string;
}

export type EventsOfChange = (change: Change) => Promise<readonly PendingEvent[]>;

/** All resources of an environment have it; their events keep one order. */
const environmentLabel = "environments.setpoint.dev/environment";
const environmentsKind = "environments.environments.setpoint.dev";

export function eventReader(input: EventReaderInput): EventsOfChange {
  const { kinds, wanted } = input;
  const remembered = new Map<string, Facts>();
  return async (change) => {
    if (!wanted(change.key.kind)) return [];
    const resource = decodeDocument(change.body, change.revision);
    const after = factsOf(resource);
    const text = keyText(change.key);
    const before = remembered.get(text) ?? (await factsBefore(input, change));
    remembered.delete(text);
    if (change.type !== "deleted") remember(remembered, text, after);
    const served = kinds.byId(change.key.kind);
    const shown = served && (await shownOrNone(served, change, resource));
    const derived = derivedEvents(change.type, after, before);
    const facts = { change, shown, served, environment: environmentOf(change.key, resource) };
    return derived.map((event, n) => pendingEvent(input, facts, event, n));
  };
}

function remember(remembered: Map<string, Facts>, text: string, facts: Facts): void {
  remembered.set(text, facts);
  if (remembered.size <= busLimits.maxRememberedStates) return;
  const [oldest] = remembered.keys();
  if (oldest !== undefined) remembered.delete(oldest);
}

async function factsBefore(
  { store }: EventReaderInput,
  { type, key, revision }: Change,
): Promise<Facts | undefined> {
  if (type !== "updated") return undefined;
  const [before] = await store.history(key, { limit: 1, before: revision });
  if (before === undefined || before.type === "deleted") return undefined;
  return factsOf(decodeDocument(before.body, before.revision));
}

/** A resource that cannot be shown, as when a conversion fails, must not stop all events. */
async function shownOrNone(
  served: ServedKind,
  change: Change,
  stored: Resource,
): Promise<JsonObject | undefined> {
  try {
    return await shownResource(served, change, stored);
  } catch {
    return undefined;
  }
}

/** `stored` is the decoded document, which most kinds show as it is. */
async function shownResource(
  served: ServedKind,
  change: Change,
  stored: Resource,
): Promise<JsonObject> {
  const { storage } = served;
  const shown = isShownAsStored(served, storage, change)
    ? stored
    : await presentResource(served, storage, shownState(served, change));
  const { annotations = {}, ...metadata } = withoutKey(shown.metadata, "managedFields");
  const kept = Object.entries(annotations).filter(([name]) => name !== lastAppliedAnnotation);
  const clean = { ...shown, metadata: { ...metadata, annotations: Object.fromEntries(kept) } };
  return withoutSealed(served, clean);
}

/** A queue is readable for others than the readers of the resource. */
function withoutSealed({ storedKind }: ServedKind, content: JsonObject): JsonObject {
  const sealed = storedKind.fieldRules.filter(({ rule }) => rule === "sealed");
  if (sealed.length === 0) return content;
  const fieldRules = sealed.map((each) => Object.assign({}, each, { rule: "secret" as const }));
  return withoutHidden({ fieldRules }, content);
}

interface ChangeFacts {
  readonly change: Change;
  /** Undefined for a kind that is not served any more, whose hidden fields are not known. */
  readonly shown: JsonObject | undefined;
  readonly served: ServedKind | undefined;
  readonly environment: string | undefined;
}

function pendingEvent(
  { exchange, source }: EventReaderInput,
  { change, shown, served, environment }: ChangeFacts,
  event: DerivedEvent,
  n: number,
): PendingEvent {
  const { key, revision, type, atMs, cause, uid } = change;
  const [plural = ""] = key.kind.split(".");
  const kind = served?.kind.names.kind.toLowerCase() ?? plural;
  const data: JsonObject = {
    revision,
    change: type,
    ...event.details,
    kind: key.kind,
    group: groupOf(key.kind),
    ...(key.namespace === "" ? {} : { namespace: key.namespace }),
    name: key.name,
    uid,
    ...(environment === undefined ? {} : { environment }),
    ...(cause === undefined ? {} : { actor: cause.actor, surface: cause.surface }),
    ...resourceOf(shown, change.body.length),
  };
  const facts = {
    id: `${revision}-${n}`,
    source,
    type: `${kind}.${event.name}`,
    subject: subjectOf(key),
    timeMs: atMs,
    cause,
    data,
  };
  const words = [kind, event.name, key.namespace || "-", environment ?? key.name];
  const routingKey = words
    .map((word) => word.replaceAll(".", "_"))
    .join(".")
    .slice(0, 255);
  const lane = environment === undefined ? keyText(key) : `${key.namespace}/${environment}`;
  return { lane, revision, message: messageOf(facts, { exchange, routingKey }) };
}

/** What is shown is not larger than what is stored. */
function resourceOf(shown: JsonObject | undefined, storedBytes: number): JsonObject {
  const isSmall = storedBytes <= busLimits.maxEventBytes;
  return shown !== undefined && isSmall ? { resource: shown } : { resourceOmitted: true };
}

function subjectOf({ kind, namespace, name }: ResourceKey): string {
  return namespace === "" ? `${kind}/${name}` : `namespaces/${namespace}/${kind}/${name}`;
}

function environmentOf(key: ResourceKey, { metadata }: Resource): string | undefined {
  if (key.kind === environmentsKind) return key.name;
  return metadata.labels?.[environmentLabel];
}
