// What a change means: the events that it causes, from the state before and after. Pure. A change
// causes at least one event, so that consumers can keep a copy of the resources.

import { hash } from "node:crypto";
import type { JsonObject } from "../../../kernel/json.ts";
import { listAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Change } from "../../../store/port.ts";

/** The parts of a resource whose changes have a meaning of their own. */
export interface Facts {
  readonly generation: number;
  /** The content of a resource without a generation, such as a ConfigMap; empty for others. */
  readonly content: string;
  readonly isDeleting: boolean;
  /** Labels and annotations. */
  readonly metadata: string;
  /** `status.phase`, or `status.state` where there is no phase. */
  readonly phase: string;
  readonly health: string;
  /** How many reminders of a planned destruction there were, and whether it is overdue. */
  readonly reminders: number;
  readonly isOverdue: boolean;
  readonly progress: string;
  readonly drift: string;
  /** `status.operationState`: the operation that runs or has ended; undefined without one. */
  readonly operation: OperationFacts | undefined;
  /** `status.health.status`: the health of the objects that the resource manages. */
  readonly objectHealth: string;
  /** "True", "False", "Unknown", or empty. */
  readonly ready: string;
}

export interface OperationFacts {
  readonly id: string;
  readonly phase: string;
  readonly trigger: string;
  readonly revision: string;
  readonly retries: number;
}

export interface DerivedEvent {
  /** The last part of the type, such as "created" or "deployed-ok". Never renamed. */
  readonly name: string;
  readonly details?: JsonObject;
}

export function factsOf(resource: Resource): Facts {
  const { metadata, status, ...content } = resource as Resource & { readonly status?: JsonObject };
  const conditions = objectsAt(status, "conditions");
  const ready = conditions.find((each) => textAt(each, "type") === "Ready");
  const progress = objectAt(status, "progress");
  return {
    generation: metadata.generation ?? 0,
    content: metadata.generation === undefined ? digestOf(content) : "",
    isDeleting: metadata.deletionTimestamp !== undefined,
    metadata: digestOf([metadata.labels ?? {}, metadata.annotations ?? {}]),
    phase: textAt(status, "phase") || textAt(status, "state"),
    health: textAt(status, "health", "state"),
    reminders: listAt(status, "reminders").length,
    isOverdue: textAt(status, "overdueAnnouncedAt") !== "",
    progress: Object.keys(progress).length === 0 ? "" : JSON.stringify(progress),
    drift: textAt(status, "drift", "state"),
    operation: operationOf(objectAt(status, "operationState")),
    objectHealth: textAt(status, "health", "status"),
    ready: textAt(ready, "status"),
  };
}

function operationOf(state: JsonObject): OperationFacts | undefined {
  const phase = textAt(state, "phase");
  if (phase === "") return undefined;
  return {
    id: textAt(state, "operation", "id"),
    phase,
    trigger: textAt(state, "operation", "trigger"),
    revision: textAt(state, "operation", "revision"),
    retries: numberAt(state, "retryCount") ?? 0,
  };
}

/** A digest takes little memory, and holds nothing of what the resource contains. */
function digestOf(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "base64url");
}

export function derivedEvents(
  type: Change["type"],
  after: Facts,
  before: Facts | undefined,
): readonly DerivedEvent[] {
  if (type !== "updated") return [{ name: type }];
  if (before === undefined) return [{ name: "updated" }];
  const found = [...intentEvents(after, before), ...statusEvents(after, before)];
  return found.length > 0 ? found : [{ name: "status-updated" }];
}

function intentEvents(after: Facts, before: Facts): readonly DerivedEvent[] {
  const events: DerivedEvent[] = [];
  const isOther = after.generation !== before.generation || after.content !== before.content;
  if (isOther || after.metadata !== before.metadata) {
    events.push({ name: "updated", details: { generation: after.generation } });
  }
  if (after.isDeleting && !before.isDeleting) events.push({ name: "deleting" });
  return events;
}

function statusEvents(after: Facts, before: Facts): readonly DerivedEvent[] {
  const events: DerivedEvent[] = [];
  if (after.phase !== before.phase && after.phase !== "") {
    const name = eventNameOf(after.phase);
    events.push({ name, details: { from: before.phase, to: after.phase } });
  }
  if (after.progress !== before.progress && after.progress !== "") {
    events.push({ name: "progress" });
  }
  if (after.drift !== before.drift) {
    if (after.drift === "Drifted") events.push({ name: "drift-detected" });
    else if (before.drift === "Drifted") events.push({ name: "drift-resolved" });
  }
  if (after.health !== before.health && after.health !== "") {
    events.push({ name: eventNameOf(after.health) });
  }
  events.push(...syncEvents(after, before));
  if (after.reminders > before.reminders) events.push({ name: "reminder" });
  if (after.isOverdue && !before.isOverdue) events.push({ name: "overdue" });
  if (after.ready !== before.ready && after.ready !== "") {
    events.push({ name: after.ready === "True" ? "ready" : "not-ready" });
  }
  return events;
}

/** A sync that starts and ends between two states has one event, with its end. */
function syncEvents(
  { operation, objectHealth: to }: Facts,
  { operation: earlier, objectHealth: from }: Facts,
): readonly DerivedEvent[] {
  const events: DerivedEvent[] = [];
  const isOther =
    operation?.id !== earlier?.id ||
    operation?.phase !== earlier?.phase ||
    operation?.retries !== earlier?.retries;
  if (operation !== undefined && isOther) {
    const { id, phase, trigger, revision, retries } = operation;
    const details = { operation: id, trigger, revision, retries };
    events.push({ name: `sync-${eventNameOf(phase)}`, details });
  }
  if (to !== from && to !== "") {
    events.push({ name: `health-${eventNameOf(to)}`, details: { from, to } });
  }
  return events;
}

/** "DeployedOk" becomes "deployed-ok". */
export function eventNameOf(phase: string): string {
  return phase
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .toLowerCase();
}
