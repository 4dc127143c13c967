// The status of an operation, which is always 200 as long as it can be read. A client polls often:
// a status is reported from memory for as long as no change of the resource is seen.

import {
  errorOf,
  isAt,
  isId,
  operationAt,
  operationNotFound,
  shownError,
} from "./polled-operation.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { namespaceOf } from "../../../modules/resource-provider/arm-names.ts";
import type { OperationPlace } from "../protocol/arm-path.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import type { UrlMemory, ToldStatus } from "../request/parsed-urls.ts";
import type {
  AwaitedChange,
  SeenChange,
} from "../../../modules/resource-provider/operations/awaited-changes.ts";
import type { FollowedOperation } from "../../../modules/resource-provider/operations/followed.ts";
import { isOver } from "../../../modules/resource-provider/operations/unrecorded-ends.ts";
import {
  operationProgress,
  timesOutAtMs,
} from "../../../modules/resource-provider/operations/operations.ts";
import { operationKey } from "../../../modules/resource-provider/operations/record.ts";
import {
  readRecord,
  readRecords,
} from "../../../modules/resource-provider/operations/operations.ts";
import type {
  OperationProgress,
  OperationEnd,
  OperationRecord,
  OperationSpec,
} from "../../../modules/resource-provider/operations/record.ts";
import { seenEnd } from "../operation/seen-outcome.ts";

/** One that was accepted a moment ago may end in a moment: then that is told at once. */
export async function operationStatus(
  surface: ArmSurface,
  { parsedUrl: { memory } }: Pick<ArmRequest, "parsedUrl">,
  place: OperationPlace,
): Promise<ArmAnswer> {
  if (!isId(place.id)) throw operationNotFound(place.id);
  const known = memory.told === undefined ? followedAt(surface, place) : undefined;
  const told = (memory.told ??= known && justAccepted(surface, place, known));
  const about = told?.operation.spec.resource ?? known?.about;
  using change = about && surface.awaited.begin(about);
  const since = known && changeSince(known);
  const early = told && since && successTold(surface, place, told, since);
  if (early !== undefined) {
    forget(surface, memory, place);
    return early.answer();
  }
  const isAsItWas = known?.accepted !== undefined && since === undefined;
  const looked = await firstLook(surface, memory, place, change && { isAsItWas });
  const isAwaited = change !== undefined && isFresh(surface, looked);
  const now = isAwaited ? await nextStatus(surface, memory, place, { looked, change }) : looked;
  if (!now.isUnderWay) forget(surface, memory, place);
  return now.answer();
}

/** How it stands at its end, or when the time is over, whatever else is told of it meanwhile. */
async function nextStatus(
  surface: ArmSurface,
  memory: UrlMemory,
  place: OperationPlace,
  { looked, change }: { readonly looked: Looked; readonly change: AwaitedChange },
): Promise<Status> {
  const { told } = memory;
  let before = told?.resource ?? 0;
  const look = (seen: SeenChange): Status | "unclear" | undefined => {
    if (seen.revision <= before) return undefined;
    const isNext = told !== undefined && seen.previous === before && isRecent(surface, told);
    if (!isNext) return "unclear";
    const { what, at } = seenEnd(surface, told.operation, seen, told.document);
    if (at !== undefined) return successStatus(surface, place, told, at);
    before = seen.revision;
    return what === "goes on" ? undefined : "unclear";
  };
  const found = await change.within(awaitedMs, look);
  if (found !== undefined && found !== "unclear") return found;
  const isLookedAt = found === undefined && before === (told?.resource ?? 0);
  if (isLookedAt && looked.isAssumed !== true) return looked;
  return await statusNow(surface, memory, place);
}

/** The last change of the resource, where there was one after its operation was accepted. */
function changeSince({ accepted, latest }: FollowedOperation): SeenChange | undefined {
  const isAfter = accepted !== undefined && latest !== undefined;
  return isAfter && latest.revision > accepted.revision ? latest : undefined;
}

/**
 * Who will be told of the next change need not ask the store whether there was one: what this
 * process saw of the resource last is enough to begin with.
 *
 * @param next Given to whom the next change is told: whether nothing has changed since the
 *   operation was accepted, as far as changes were told.
 */
async function firstLook(
  surface: ArmSurface,
  memory: UrlMemory,
  place: OperationPlace,
  next: { readonly isAsItWas: boolean } | undefined,
): Promise<Looked> {
  const { told } = memory;
  const mayAssume = told !== undefined && isFresh(surface, told) && isRecent(surface, told);
  if (mayAssume && next !== undefined) {
    const { resource: key } = told.operation.spec;
    const isAsTold = (): boolean => surface.intents.store.lastSeen(key)?.revision === told.resource;
    if (next.isAsItWas || isAsTold()) return { ...told, isAssumed: true };
  }
  return await statusNow(surface, memory, place);
}

/**
 * The success that a change tells for good: what came right after a state in which the operation
 * went on is its only end, so nothing else can be in its record. Undefined where it tells none.
 */
function successTold(
  surface: ArmSurface,
  place: OperationPlace,
  told: ToldStatus,
  change: SeenChange,
): Status | undefined {
  const { operation, isUnderWay, resource: before, document } = told;
  if (!isUnderWay || change.previous !== before || !isRecent(surface, told)) return undefined;
  const { at } = seenEnd(surface, operation, change, document);
  return at === undefined ? undefined : successStatus(surface, place, told, at);
}

function successStatus(
  surface: ArmSurface,
  place: OperationPlace,
  { operation }: ToldStatus,
  endedAt: string,
): Status {
  const end = { state: "Succeeded", endedAt } as const;
  const answer = statusAnswer(surface, place, operation, { end, percent: 100 });
  return { operation, isUnderWay: false, answer: () => answer };
}

function isRecent({ intents }: ArmSurface, { untilMs }: ToldStatus): boolean {
  return intents.clock.nowMs() < untilMs;
}

/** Who is told the end asks no more: what is kept for the next poll is only in the way. */
function forget(
  { followed }: ArmSurface,
  memory: UrlMemory,
  { subscription, id }: OperationPlace,
): void {
  memory.isOver = true;
  followed.forget(operationKey(namespaceOf(subscription), id));
}

/** Who asks for many, one after the other, should not notice it. */
const awaitedMs = 100;
const freshMs = 2_000;

/** What takes its time is told of at once: nobody waits long for it in vain. */
function isFresh({ intents }: ArmSurface, { isUnderWay, operation }: Status): boolean {
  return isUnderWay && intents.clock.nowMs() < Date.parse(operation.spec.startedAt) + freshMs;
}

function followedAt(
  { followed }: ArmSurface,
  { subscription, id }: OperationPlace,
): FollowedOperation | undefined {
  return followed.get(operationKey(namespaceOf(subscription), id));
}

/** What is told of one that was accepted a moment ago while its resource is as it was. */
function justAccepted(
  surface: ArmSurface,
  place: OperationPlace,
  { spec, accepted }: FollowedOperation,
): ToldStatus | undefined {
  if (spec === undefined || accepted === undefined || !isAt(place, spec)) return undefined;
  const operation = { id: place.id.toLowerCase(), spec, end: undefined };
  return {
    record: accepted.revision + 1,
    resource: accepted.revision,
    untilMs: toldUntilMs(surface, spec, accepted.ms),
    operation,
    isUnderWay: true,
    document: accepted.document,
    // Mostly it has ended before anybody has to be told that it goes on.
    answer: () => statusAnswer(surface, place, operation, { end: undefined, percent: undefined }),
  };
}

type Status = Pick<ToldStatus, "operation" | "isUnderWay" | "answer">;

/** What was told last may be told without looking whether it is still so. */
type Looked = Status & { readonly isAssumed?: boolean };

/**
 * The same states of an operation and its resource are told in the same way. While its resource is
 * as it was, an operation can only have been removed: for a moment nobody looks whether it was.
 */
async function statusNow(
  surface: ArmSurface,
  memory: UrlMemory,
  place: OperationPlace,
): Promise<Status> {
  const nowMs = surface.intents.clock.nowMs();
  const { told } = memory;
  const resource = told && (await surface.intents.store.get(told.operation.spec.resource));
  if (told !== undefined && told.resource === resource?.revision && nowMs < told.untilMs) {
    return told;
  }
  const namespace = namespaceOf(place.subscription);
  const read =
    told === undefined
      ? await readRecords(surface, namespace, place.id)
      : await readRecord(surface, namespace, place.id, resource);
  const isSame = told !== undefined && told.record === read?.record.revision;
  const operation = isSame ? { ...told.operation, ...read } : operationAt(surface, place, read);
  const progress = await operationProgress(surface, operation);
  if (isOver(operation.spec, progress.end, nowMs)) throw operationNotFound(place.id);
  const answer = statusAnswer(surface, place, operation, progress);
  const { id, spec, end } = operation;
  const isUnderWay = progress.end === undefined;
  const status = { operation: { id, spec, end }, isUnderWay, answer: () => answer };
  // What an action was given may be much.
  if (read?.resource !== undefined && spec.input === undefined) {
    const revisions = { record: read.record.revision, resource: read.resource.revision };
    memory.told = { ...status, ...revisions, untilMs: toldUntilMs(surface, spec, nowMs) };
  }
  return status;
}

/** What depends on the time is told anew after this. */
const toldMs = 1_000;

/** Nor is a success told from memory that may come after its time was over. */
function toldUntilMs(surface: ArmSurface, spec: OperationSpec, nowMs: number): number {
  return Math.min(nowMs + toldMs, timesOutAtMs(surface, spec));
}

function statusAnswer(
  surface: ArmSurface,
  { subscription, provider, location }: OperationPlace,
  { id, spec }: Pick<OperationRecord, "id" | "spec">,
  { end, percent, lastError }: OperationProgress,
): ArmAnswer {
  const where = `/subscriptions/${subscription}/providers/${provider}/locations/${location}`;
  const shownPercent = shownPercentOf(end, percent);
  const body: JsonObject = {
    id: `${where}/operationsStatus/${id}`,
    name: id,
    status: end?.state ?? "InProgress",
    startTime: spec.startedAt,
    ...(end?.endedAt === undefined ? {} : { endTime: end.endedAt }),
    ...(shownPercent === undefined ? {} : { percentComplete: shownPercent }),
    resourceId: spec.resourceId,
    // An error would be the end to whoever reads no more than that.
    ...(end === undefined && lastError ? { properties: { lastError: shownError(lastError) } } : {}),
    ...(end === undefined || end.state === "Succeeded" ? {} : { error: errorOf(end) }),
  };
  const bytes = Buffer.from(JSON.stringify(body));
  if (end !== undefined) return { status: 200, bytes };
  return { status: 200, headers: { "retry-after": surface.retryAfterSeconds }, bytes };
}

/** Work that is done is not an operation that has ended: somebody has yet to report it. */
function shownPercentOf(
  end: OperationEnd | undefined,
  percent: number | undefined,
): number | undefined {
  if (end !== undefined) return end.state === "Succeeded" ? 100 : undefined;
  return percent === undefined ? undefined : Math.min(99, percent);
}
