// Reads an object and what belongs to it. Absence is an answer of its own: 404, an empty place in
// the list of its parent, or whatever the rule of the kind calls gone. An answer that is no object
// is a failure, never taken for an empty one: a service that answers pages must not look as if
// every field had been taken away.

import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import { hasMoreValuesThan } from "../../../kernel/json-size.ts";
import { connectLimits } from "../limits.ts";
import { timeText } from "../../../kernel/clock.ts";
import { equalJson, getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { ElementOf, ListOperation } from "../binding.ts";
import type { Answer } from "../http/answer.ts";
import { isSuccess, nextLink } from "../http/answer.ts";
import { ExchangeFailed } from "../http/exchange.ts";
import { withoutNulls } from "../plan/documents.ts";
import { expandPath, expandQuery, parametersIn, pathText } from "../plan/requests.ts";
import type { Parameters } from "../plan/requests.ts";
import { throughHooks } from "./hooks.ts";
import { hasNone, placeOfList, placeOfObject } from "../plan/envelope-place.ts";
import { identityKeys, identityMatch } from "../plan/identity-match.ts";
import { Refused, ask, demand, refusalOf } from "./session.ts";
import type { Session } from "./session.ts";
import { shownDocument } from "./showing.ts";

export type Observed =
  | {
      readonly kind: "present";
      readonly object: JsonObject;
      /** The document that it was found in, for elements of one. */
      readonly whole: JsonObject;
      readonly etag: string | undefined;
    }
  | {
      readonly kind: "absent";
      readonly why: string;
      /** The service returns the object, in a state that means that it no longer exists. */
      readonly isShown?: boolean;
      /** A refusal counts as absence by a rule of the kind, and nothing else confirms it. */
      readonly isUnconfirmed?: boolean;
    };

export type Present = Extract<Observed, { kind: "present" }>;

const longestPage = 200;

/** All parameters, where the path of the item is known. */
export function parametersOf(session: Session): Parameters {
  const { path } = session.book.pages;
  const { item } = session.compiled.binding;
  const known = path === undefined ? undefined : parametersIn(item, path);
  return { ...session.parameters, ...known };
}

/** What is at the path of the item. */
export async function observe(session: Session, path: string): Promise<Observed> {
  const { read } = session.compiled.binding.operations;
  if (read === undefined) return await observeInList(session, path);
  const parameters = parametersOf(session);
  const query = expandQuery(read.query, parameters);
  const request = {
    method: read.method,
    path: read.path === undefined ? path : expandPath(read.path, parameters),
    ...(query === undefined ? {} : { query }),
  };
  const answer = await ask(session, request);
  if (!isSuccess(answer)) {
    const refused = await refusalOf(session, request, answer);
    if (refused.classified.is !== "absent") throw refused;
    return await absentBy(session, path, refused);
  }
  const named = `${request.method} ${request.path}`;
  const whole = objectIn(session, answer, { pointer: read.answer, request: named });
  checkEnvelope(session, answer, { pointer: read.answer, request: named }, whole);
  const { element } = session.compiled.binding;
  const found = element === undefined ? whole : elementIn(session, element, whole);
  if (found === undefined) {
    return { kind: "absent", why: "the list of its parent does not contain it" };
  }
  const etag = etagOf(answer);
  return await judged(session, { kind: "present", object: found, whole, etag });
}

/**
 * A service may refuse to show what does not exist. The same refusal may be about the credentials,
 * so the list has to confirm it.
 */
async function absentBy(session: Session, path: string, refused: Refused): Promise<Observed> {
  const { message, facts } = refused;
  if (!isPermission(facts.status)) return { kind: "absent", why: message };
  if (session.compiled.binding.operations.list === undefined) {
    return { kind: "absent", why: message, isUnconfirmed: true };
  }
  const listed = await observeInList(session, path);
  if (listed.kind === "present") throw refusedThough(message);
  return { ...listed, why: `${message}; ${listed.why}` };
}

/** Statuses that are about the caller, even where a rule of the kind reads them as absence. */
export function isPermission(status: number): boolean {
  return status === 401 || status === 403 || status === 407;
}

function refusedThough(message: string): ReconcileFailure {
  const why = `${message}; the list contains the object: allow the credentials to read it`;
  return new ReconcileFailure(failed("Forbidden", why, { retry: "slow" }));
}

/** A weak one is no proof that nothing changed. */
export function etagOf({ headers }: Answer): string | undefined {
  const { etag } = headers;
  return etag?.startsWith("W/") === true ? undefined : etag;
}

/** For a service that has no URL for one object, only for the list. */
async function observeInList(session: Session, path: string): Promise<Observed> {
  const wanted = { ...session.parameters, ...parametersIn(session.compiled.binding.item, path) };
  let untold: string | undefined;
  for await (const object of listObjects(session)) {
    const match = identityMatch(session.compiled.binding, object, wanted);
    if (match.kind === "untold") untold ??= match.field;
    if (match.kind !== "same") continue;
    return await judged(session, { kind: "present", object, whole: object, etag: undefined });
  }
  // An object without its identity may be the one: that is not an absence.
  if (untold !== undefined) throw untoldIdentity(session, untold);
  return { kind: "absent", why: "the list does not contain it" };
}

/** Whether the list has an object with this identity, as far as it shows one. */
export async function isListed(session: Session, path: string): Promise<boolean> {
  const wanted = { ...session.parameters, ...parametersIn(session.compiled.binding.item, path) };
  for await (const object of listObjects(session)) {
    if (identityMatch(session.compiled.binding, object, wanted).kind === "same") return true;
  }
  return false;
}

function untoldIdentity({ compiled }: Session, field: string): ReconcileFailure {
  const { identity } = compiled.binding;
  const setting = identity.kind === "composite" ? "identity.fields" : "identity.field";
  const message =
    `the list has objects without a value at ${field}, so it does not tell whether the object ` +
    `exists: correct ${setting}, or operations.list.items, in the RestKind ${compiled.kind}`;
  return new ReconcileFailure(failed("IdentityMismatch", message, { retry: "slow" }));
}

/** All objects of the collection, page by page. */
export async function* listObjects(session: Session): AsyncGenerator<JsonObject> {
  const { binding } = session.compiled;
  const { list } = binding.operations;
  const template = list?.path ?? binding.collection;
  if (list === undefined || template === undefined) return;
  const parameters = parametersOf(session);
  const path = expandPath(template, parameters);
  const fixed = expandQuery(list.query, parameters) ?? {};
  let next: NextPage | undefined = { at: { path }, query: firstPage(list) };
  const asked = new Set<string>();
  for (let page = 0; next !== undefined; page += 1) {
    const place = JSON.stringify(next);
    if (page >= longestPage || asked.has(place)) throw endless(session, path, page);
    asked.add(place);
    // The address of a page that the service names has its query already.
    const query: NextPage["query"] = next.query === undefined ? {} : { ...fixed, ...next.query };
    const answer: Answer = await demand(session, { method: list.method, ...next.at, query });
    const envelope = { pointer: list.items, request: `${list.method} ${path}` };
    const items = itemsIn(session, answer, envelope);
    for (const item of items) if (isJsonObject(item)) yield item;
    next = nextPage(session, list, { answer, page, path, count: items.length });
  }
}

interface PageFacts {
  readonly answer: Answer;
  readonly page: number;
  readonly path: string;
  readonly count: number;
}

interface NextPage {
  readonly at: { readonly path: string; readonly isTarget?: boolean };
  readonly query?: { readonly [name: string]: string };
}

function nextPage(session: Session, list: ListOperation, facts: PageFacts): NextPage | undefined {
  const { answer, page, path, count } = facts;
  const { paging } = list;
  switch (paging?.kind) {
    case "token": {
      const token = getAt(answer.json ?? null, parsePointer(paging.token));
      const text = pathText(token);
      if (text === undefined || text === "") return undefined;
      return { at: { path }, query: { [paging.parameter]: text } };
    }
    case "number":
      if (count === 0) return undefined;
      return { at: { path }, query: { [paging.parameter]: String(paging.first + page + 1) } };
    // A list that is cut off must not hide an object: the standard header always counts.
    case undefined:
    case "link":
    case "header": {
      const named =
        paging?.kind === "link"
          ? getAt(answer.json ?? null, parsePointer(paging.next))
          : nextLink(answer.headers);
      if (typeof named !== "string" || named === "") return undefined;
      const resolved = session.client.resolve(named, session.client.targetOf(path));
      if (resolved.kind === "outside") throw outsideBorder("the next page", resolved.origin);
      return { at: { path: resolved.target, isTarget: true } };
    }
    default:
      return paging satisfies never;
  }
}

export function outsideBorder(what: string, origin: string): ReconcileFailure {
  const message = `the URL of ${what} is not in the connection: ${origin.slice(0, 200)}`;
  return new ReconcileFailure(failed("AddressOutside", message, { retry: "slow" }));
}

/** The second documents, each with its age and its own error; none keeps the others from sight. */
export async function readJoins(session: Session): Promise<JsonObject> {
  const { joins = [] } = session.compiled.binding;
  if (joins.length === 0) return {};
  const before = session.book.part("joined");
  const joined: MutableJsonObject = {};
  const parameters = parametersOf(session);
  for (const join of joins) {
    const query = expandQuery(join.query, parameters);
    const path = expandPath(join.path, parameters);
    const at = timeText(session.context.clock.nowMs());
    try {
      const answer = await demand(session, {
        method: "GET",
        path,
        ...(query === undefined ? {} : { query }),
      });
      const value = getAt(answer.json ?? null, parsePointer(join.answer ?? ""));
      joined[join.name] = { value: shownDocument(session, withoutNulls(value ?? null)), at };
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof ExchangeFailed)) throw error;
      joined[join.name] = { ...objectAt(before, join.name), error: error.message };
    }
  }
  return joined;
}

/** As it may be seen by all who may see the resource. */
export function shownObject(session: Session, object: JsonObject): JsonObject {
  const shown = shownDocument(session, object);
  const text = JSON.stringify(shown);
  if (text.length <= longestShown && isJsonObject(shown)) return shown;
  const isPlain = ([, value]: readonly [string, Json]): boolean =>
    typeof value === "string" ? value.length < longestText : typeof value !== "object";
  const plain = Object.entries(isJsonObject(shown) ? shown : {}).filter(isPlain);
  return { ...Object.fromEntries(plain), "...": "the rest is too large to be stored" };
}

const longestShown = 512 * 1_024;
const longestText = 1_024;

function tooLarge({ compiled }: Session): ReconcileFailure {
  const message =
    `the object in the service has more than ${connectLimits.maxObjectValues} values: ` +
    `set operations.read.answer of the RestKind ${compiled.kind} to a smaller part of it`;
  return new ReconcileFailure(failed("ObjectTooLarge", message, { retry: "slow" }));
}

async function judged(session: Session, present: Present): Promise<Observed> {
  if (hasMoreValuesThan(present.object, connectLimits.maxObjectValues)) throw tooLarge(session);
  const object = await throughHooks<JsonObject, JsonObject>(session.hooks, "mapObserved", {
    input: present.object,
    resource: session.resource,
    last: (given) => Promise.resolve(given),
  });
  const isGone = session.compiled.gone?.({ observed: object });
  if (isGone === true) {
    return { kind: "absent", why: "the service reports it as deleted", isShown: true };
  }
  const clean = withoutNulls(object);
  return { ...present, object: isJsonObject(clean) ? clean : {} };
}

interface Envelope {
  readonly pointer: string | undefined;
  /** As "GET /things/1". */
  readonly request: string;
}

export function objectIn(session: Session, answer: Answer, envelope: Envelope): JsonObject {
  const { pointer = "" } = envelope;
  const found = getAt(answer.json ?? null, parsePointer(pointer));
  if (found !== undefined && isJsonObject(found)) return found;
  const what = answer.json === undefined ? "something that is not JSON" : "no object";
  throw wrongEnvelope(session, answer, envelope, what);
}

/** An object without any of its fields is the envelope of another, not an emptied object. */
function checkEnvelope(
  session: Session,
  answer: Answer,
  envelope: Envelope,
  found: JsonObject,
): void {
  const keys = shownKeys(session);
  if (session.compiled.binding.element !== undefined || !hasNone(found, keys)) return;
  if (placeOfObject(answer.json ?? null, keys, envelope.pointer ?? "") === undefined) return;
  throw wrongEnvelope(session, answer, envelope, "none of the fields");
}

function wrongEnvelope(
  session: Session,
  { status, json = null }: Answer,
  { pointer = "", request }: Envelope,
  what: string,
): ReconcileFailure {
  const place = placeOfObject(json, shownKeys(session), pointer);
  const hint = place === undefined ? "" : ` (the object seems to be at "${place}")`;
  const message =
    `${request}: ${status}, but the response has ${what} at "${pointer}": correct ` +
    `operations.read.answer in the RestKind ${session.compiled.kind}${hint}`;
  return new ReconcileFailure(failed("UnexpectedAnswer", session.hide(message)));
}

/** The topmost fields that a read of the object should show. */
function shownKeys({ book, desired, fields, hooks }: Session): readonly string[] {
  // A hook may make the object of a response that looks otherwise.
  if (hooks.some((each) => each.hooks.mapObserved !== undefined)) return [];
  const given = Object.keys({ ...book.pages.lastApplied, ...desired });
  return given.filter((key) => {
    const { rule } = fields.child(key);
    return !rule.isSecret && rule.class !== "write-only" && rule.class !== "update-only";
  });
}

/** What is no list must not pass for an empty one: what is not listed may be made again. */
function itemsIn(
  session: Session,
  answer: Answer,
  { pointer = "", request }: Envelope,
): readonly Json[] {
  const { json = null, status } = answer;
  const found = getAt(json, parsePointer(pointer)) ?? null;
  if (isJsonArray(found)) return found;
  const { kind, binding } = session.compiled;
  const place = placeOfList(json, identityKeys(binding));
  const isEmpty = pointer !== "" && found === null && isJsonObject(json) && place === undefined;
  if (isEmpty && !tellsError(json)) return [];
  const hint = place === undefined ? "" : ` (the list seems to be at "${place}")`;
  const message =
    `${request}: ${status}, but the response has no list at "${pointer}": correct ` +
    `operations.list.items in the RestKind ${kind}${hint}`;
  throw new ReconcileFailure(failed("UnexpectedAnswer", session.hide(message)));
}

/** Some services answer 200, and say in the body that they could not. */
function tellsError(json: JsonObject): boolean {
  const isSaid = (value: Json | undefined): boolean =>
    value !== undefined && value !== null && value !== false && value !== "" && value !== 0;
  const words = ["error", "errors", "fault", "exception"].map((key) => getOwn(json, key));
  const isBad = words.some((word) => isSaid(word) && !equalJson(word, []));
  return isBad || ["ok", "success"].some((key) => getOwn(json, key) === false);
}

/** The element with the keys that are wanted. */
export function elementIn(
  session: Session,
  { list, keys }: ElementOf,
  whole: JsonObject,
): JsonObject | undefined {
  const wanted = keysOf(session, keys);
  const items = getAt(whole, parsePointer(list)) ?? null;
  const found = (isJsonArray(items) ? items : []).find((item) =>
    keys.every((key, index) => equalJson(getAt(item, parsePointer(key)), wanted[index])),
  );
  return found !== undefined && isJsonObject(found) ? found : undefined;
}

function keysOf(session: Session, keys: readonly string[]): readonly (Json | undefined)[] {
  const last = session.book.pages.lastApplied ?? {};
  return keys.map(
    (key) => getAt(session.desired, parsePointer(key)) ?? getAt(last, parsePointer(key)),
  );
}

function firstPage({ paging }: ListOperation): { readonly [name: string]: string } {
  return paging?.kind === "number" ? { [paging.parameter]: String(paging.first) } : {};
}

function endless({ compiled }: Session, path: string, pages: number): ReconcileFailure {
  const what =
    pages < longestPage ? "the next page repeats an earlier one" : `more than ${pages} pages`;
  const message = `GET ${path}: ${what} (see operations.list in the RestKind ${compiled.kind})`;
  return new ReconcileFailure(failed("TooManyPages", message, { retry: "slow" }));
}
