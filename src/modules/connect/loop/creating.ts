// Makes an object, at most once. What is about to be made is stored before it is sent, and the id
// before anything else is done. When nobody knows what came of a creation, the object is looked
// for; where looking cannot tell, nothing is made until a person says which object it is.

import { again, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { escapeToken } from "../../../kernel/pointer.ts";
import type { Answer } from "../http/answer.ts";
import type { ClientRequest } from "../http/client.ts";
import type { Difference } from "../plan/compare.ts";
import { enveloped } from "../plan/documents.ts";
import { createBody } from "../plan/plan.ts";
import { expandPath, expandQuery } from "../plan/requests.ts";
import { graceMsOf, noteCreated } from "./created.ts";
import { alikeNow, knownIn, knownNote, searchFor, withKnown } from "./lookalikes.ts";
import type { Known } from "./lookalikes.ts";
import { idInAnswer, isConfirmed } from "./new-id.ts";
import { parametersOf } from "./observing.ts";
import { trackOperation } from "./operations.ts";
import { howToLetGo, noteId, ownId } from "./placing.ts";
import { Refused, demand, isCertainlyUndone, wasUnsent } from "./session.ts";
import type { Session } from "./session.ts";
import {
  appliedDocument,
  changedMeanwhile,
  elementBody,
  noteWrite,
  operationBegun,
} from "./writing.ts";

export type Created =
  | { readonly kind: "made" }
  /** There is one of that name already. */
  | { readonly kind: "exists"; readonly message: string }
  | { readonly kind: "ends"; readonly outcome: Outcome };

/** The document of the parent, for an element that is put into a list of it. */
export interface Around {
  readonly whole?: JsonObject;
  readonly etag?: string | undefined;
}

/** Creations without a response, after which no other is sent where nothing shows their effect. */
const mostUnheard = 3;

/** Whether each request may create another object, of which no list would show anything. */
function isBlind({ compiled }: Session): boolean {
  const { operations, element } = compiled.binding;
  return element === undefined && operations.create?.method === "POST" && !operations.list;
}

export async function create(
  session: Session,
  around: Around = {},
  because = noSuchObject,
): Promise<Created> {
  const { book, compiled, desired, fields } = session;
  const { operations, element } = compiled.binding;
  const operation =
    element === undefined ? operations.create : (operations.patch ?? operations.replace);
  if (operation === undefined) return { kind: "ends", outcome: cannotCreate(session) };
  const unheard = numberAt(book.pages.creating, "unheard") ?? 0;
  if (unheard >= mostUnheard && isBlind(session)) {
    const why = `${unheard} requests got none; the service has no list to find the object in`;
    return { kind: "ends", outcome: incomplete(session, why) };
  }
  const body = createBody(desired, fields, element === undefined ? operation : undefined);
  const request = createRequest(session, operation, body, around);
  // What was sent before may make it after all, long after it was looked for.
  const earlier = book.pages.creating;
  const known = await knownBefore(session, body, earlier);
  if ("outcome" in known) return { kind: "ends", outcome: known.outcome };
  book.set({
    creating: {
      since: timeText(session.context.clock.nowMs()),
      request: `${request.method} ${request.path}`,
      ...knownNote(known),
      sent: appliedDocument(session, body),
      ...(earlier === undefined ? {} : { repeated: true }),
      // Counted before it is sent: what is answered needs no count.
      unheard: unheard + 1,
    },
  });
  await book.keep();
  let answer: Answer;
  try {
    answer = await demand(session, request);
  } catch (error) {
    return await unmade(session, error, earlier);
  }
  session.count("write");
  return await made(session, { answer, request, body, because });
}

/**
 * What cannot be ours, whatever comes of the request. Of an earlier one all that is new may be: it
 * is looked at again, after the list, so that nothing comes between the two and counts as foreign.
 */
async function knownBefore(
  session: Session,
  body: JsonObject,
  earlier: JsonObject | undefined,
): Promise<Known | { readonly outcome: Outcome }> {
  const now = await alikeNow(session, body);
  if (earlier === undefined) return now;
  const before = new Set(textsAt(earlier, "known"));
  if (now.ids.some((id) => !before.has(id))) {
    const resolved = await resolveCreation(session);
    if (resolved.kind === "ends") return resolved;
    if (resolved.kind === "found") {
      noteId(session, resolved.id);
      await session.book.keep();
      const message =
        "an earlier request created the object: it is read before anything else is sent";
      const status = session.book.changes();
      return { outcome: again(1_000, { reason: "CreateUncertain", message, status }) };
    }
  }
  return withKnown(now, knownIn(earlier));
}

/** What came of a creation that nobody heard of again. */
export type Resolved =
  | { readonly kind: "found"; readonly id: string }
  | { readonly kind: "notMade" }
  | { readonly kind: "ends"; readonly outcome: Outcome };

/** For ids that the service chooses; those that we choose are simply looked at. */
export async function resolveCreation(
  session: Session,
  creating = session.book.pages.creating ?? {},
): Promise<Resolved> {
  const { book, compiled } = session;
  const { operations } = compiled.binding;
  const since = textAt(creating, "since");
  const named = textAt(creating, "named");
  if (named !== "" && (await isConfirmed(session, named, objectAt(creating, "sent")))) {
    return { kind: "found", id: named };
  }
  if (operations.list === undefined) {
    const why =
      named === "" ? `the service has no list to find it in (${since})` : `${named} may be its id`;
    return { kind: "ends", outcome: incomplete(session, why) };
  }
  const graceMs = graceMsOf(session);
  const search = await searchFor(session, {
    // What is wanted may have changed since.
    sent: objectAt(creating, "sent"),
    known: knownIn(creating),
    since,
    graceMs,
  });
  if (search.kind === "found" && !isTrueAt(creating, "knownIsCut")) return search;
  if (search.kind === "found" || search.kind === "unclear") {
    const shown = search.kind === "found" ? [search.id] : search.ids.slice(0, 5);
    const which = shown.length === 1 ? "this object" : "one of these objects";
    const why = `it may be ${which}: ${shown.join(", ")}`;
    return { kind: "ends", outcome: incomplete(session, why) };
  }
  const leftMs = leftOfGrace(session, creating);
  if (search.kind === "none" && leftMs <= 0) {
    if (!isTrueAt(creating, "answered")) return { kind: "notMade" };
    const why = "the service confirmed it but does not list the object";
    return { kind: "ends", outcome: incomplete(session, why) };
  }
  const message = `${what(session)}: the object is searched before a retry`;
  const outcome = again(Math.min(Math.max(leftMs, 1_000), 5_000), {
    reason: "CreateUncertain",
    message,
  });
  return { kind: "ends", outcome: { ...outcome, status: book.changes() } };
}

export function createRequest(
  session: Session,
  operation: NonNullable<Session["compiled"]["binding"]["operations"]["create"]>,
  body: JsonObject,
  { whole = {}, etag }: Around,
): ClientRequest {
  const { binding } = session.compiled;
  const { element, item, collection } = binding;
  const parameters = parametersOf(session);
  const usual = element !== undefined || operation.method === "PUT" ? item : (collection ?? item);
  const query = expandQuery(operation.query, parameters);
  return {
    method: operation.method,
    path: expandPath(operation.path ?? usual, parameters),
    ...(operation.mediaType === undefined ? {} : { mediaType: operation.mediaType }),
    body:
      element === undefined
        ? enveloped(body, operation.body)
        : elementBody(session, operation, { put: body, whole }),
    ...(query === undefined ? {} : { query }),
    ...(etag === undefined || operation.hasEtag === false ? {} : { ifMatch: etag }),
  };
}

interface Made {
  readonly answer: Answer;
  readonly request: ClientRequest;
  readonly body: JsonObject;
  readonly because: string;
}

/** As the reason of a write: that of a creation, unless it makes an object anew. */
const noSuchObject = "the object does not exist";

/** As the reason of a creation: it was taken away because of these fields. */
export function replacedWhy({ book }: Session): string {
  const { replacing } = book.pages;
  const fields = textsAt(replacing, "fields").join(", ");
  return replacing === undefined ? noSuchObject : `replaced: ${fields} changed`;
}

/** Whether a write was a creation. */
export function isCreation(lastWrite: JsonObject | undefined): boolean {
  const why = textAt(lastWrite, "why");
  return why === noSuchObject || why.startsWith("replaced: ");
}

async function made(session: Session, { answer, request, body, because }: Made): Promise<Created> {
  const { book, compiled } = session;
  const { identity } = compiled.binding;
  const id =
    identity.kind === "server"
      ? await newId(session, { answer, request, body, because })
      : ownId(session);
  if (id !== undefined) noteId(session, id);
  noteCreated(session, answer, request);
  const applied = appliedDocument(session, body);
  noteWrite(session, request, creationChanges(session, body), because);
  const target = session.client.targetOf(request.path);
  let isBegun: boolean;
  try {
    isBegun = trackOperation(session, answer, { verb: "create", target, applied });
  } catch (error) {
    // An operation that cannot be followed is no reason to forget what it makes.
    if (id !== undefined) book.set({ creating: undefined, lastApplied: applied });
    await book.keep();
    throw error;
  }
  if (isBegun) {
    if (id !== undefined) book.set({ creating: undefined });
    await book.keep();
    return { kind: "ends", outcome: operationBegun(session, "Creating") };
  }
  if (id === undefined) {
    // It was made, but the answer does not say under which id.
    noteAnswered(session);
    await book.keep();
    const resolved = await resolveCreation(session);
    if (resolved.kind === "ends") return resolved;
    if (resolved.kind === "found") noteId(session, resolved.id);
  }
  book.set({ creating: undefined, lastApplied: applied });
  await book.keep();
  return { kind: "made" };
}

/** The topmost fields of what is sent. */
export function creationChanges(session: Session, body: JsonObject): readonly Difference[] {
  return Object.entries(body).map(([key, after]) => {
    const { class: is, isSecret } = session.fields.child(key).rule;
    const path = `/${escapeToken(key)}`;
    return { path, after, why: "wanted", class: is, isSecret, isReplaceable: false };
  });
}

/** Undefined where the answer does not tell; what only may be it is noted, for another look. */
async function newId(
  session: Session,
  { answer, request, body }: Made,
): Promise<string | undefined> {
  const { book } = session;
  const named = idInAnswer(session, answer, request);
  if (named === undefined || !named.isLoose) return named?.id;
  const { creating } = book.pages;
  book.set({ creating: { ...creating, named: named.id } });
  await book.keep();
  return (await isConfirmed(session, named.id, body)) ? named.id : undefined;
}

/** From now on the object exists, wherever it is: another is never made. */
export function noteAnswered({ book }: Session): void {
  const { creating, renaming } = book.pages;
  if (creating !== undefined) book.set({ creating: { ...creating, answered: true } });
  if (renaming !== undefined) book.set({ renaming: { ...renaming, answered: true } });
}

/** Which of the ways in which a creation may fail it was; of an earlier one that says nothing. */
async function unmade(
  session: Session,
  error: unknown,
  earlier: JsonObject | undefined,
): Promise<Created> {
  const { book } = session;
  if (wasUnsent(error)) {
    book.set({ creating: earlier });
    await book.keep();
    throw error;
  }
  if (error instanceof Refused && !isGateway(error.facts.status)) {
    const { creating } = book.pages;
    // The service itself answered, so the request counts as heard.
    book.set({ creating: { ...creating, unheard: numberAt(earlier, "unheard") ?? 0 } });
  }
  if (!(error instanceof Refused) || !isCertainlyUndone(error)) throw error;
  const isThere = error.classified.is === "exists";
  const mayBeOurs = isThere || mayStillCome(session, earlier);
  book.set({ creating: mayBeOurs ? earlier : undefined });
  await book.keep();
  if (isThere) return { kind: "exists", message: error.message };
  const { element } = session.compiled.binding;
  if (error.facts.status === 412 && element !== undefined) {
    return { kind: "ends", outcome: changedMeanwhile(session) };
  }
  throw error;
}

/** Statuses of a proxy that got no response of the service, or of a service that gave up. */
function isGateway(status: number): boolean {
  return status === 408 || status === 502 || status === 504;
}

/**
 * Whether what a creation made could still be told from what others make. Under a name of ours it
 * cannot be for ever: what comes there once the service cannot be at it any more is somebody's.
 */
function mayStillCome(session: Session, creating: JsonObject | undefined): boolean {
  if (session.compiled.binding.identity.kind === "server") return true;
  const sinceMs = session.context.clock.nowMs() - Date.parse(textAt(creating, "since"));
  return sinceMs < graceMsOf(session);
}

/** Of the time in which what was noted may still be carried out; none where no time is noted. */
export function leftOfGrace(session: Session, note: JsonObject | undefined): number {
  const graceMs = graceMsOf(session);
  const leftMs = Date.parse(textAt(note, "since")) + graceMs - session.context.clock.nowMs();
  // What lies in the future was written by somebody else, or by a clock that was wrong.
  return leftMs <= 2 * graceMs ? leftMs : 0;
}

export function incomplete(session: Session, why: string): Outcome {
  const isGoing = session.resource.metadata.deletionTimestamp !== undefined;
  const help = isGoing
    ? `set connect.id to the object to delete it; ${howToLetGo}`
    : "set connect.id to the object, or delete this resource and apply it again " +
      "to create another";
  const message = `${what(session)}, and ${why}: ${help}`;
  return failed("CreateIncomplete", message, { retry: "slow", status: session.book.changes() });
}

function what({ book }: Session): string {
  const { creating, renaming } = book.pages;
  if (isTrueAt(creating, "answered")) return "the response to its creation does not lead to it";
  const isChange = creating === undefined && renaming !== undefined;
  return `${isChange ? "an update that may have changed its id" : "its creation"} got no response`;
}

function cannotCreate(session: Session): Outcome {
  const message = "the service has no create request: set connect.id to adopt an existing object";
  return failed("CannotCreate", message, { retry: "slow", status: session.book.changes() });
}
