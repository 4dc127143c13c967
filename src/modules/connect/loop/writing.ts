// Changes an object that is there: asks for the plan, sends its one request, and looks at what came
// of it. What was applied is noted only after a success. What the service shows in another way than
// it was sent is learnt; what it does not show at all is sent again a few times, then told.

import { again, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { timeText } from "../../../kernel/clock.ts";
import { equalJson, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Binding, WriteOperation } from "../binding.ts";
import type { HookChange } from "../connect-hooks.ts";
import type { ClientRequest } from "../http/client.ts";
import { hideIn } from "../http/hiding.ts";
import { areAlike } from "../plan/alike.ts";
import { compareDocuments } from "../plan/compare.ts";
import { asLearnt, replacedBy } from "../plan/replaced.ts";
import type { Difference, KnownDifference } from "../plan/compare.ts";
import { enveloped, maskSecrets, setDeep } from "../plan/documents.ts";
import { planFor } from "../plan/plan.ts";
import type { Plan, Verb, Write } from "../plan/plan.ts";
import { expandPath, expandQuery } from "../plan/requests.ts";
import { throughHooks } from "./hooks.ts";
import { parametersOf } from "./observing.ts";
import type { Present } from "./observing.ts";
import { trackOperation } from "./operations.ts";
import { forgetUnsent, noteNewId, noteRenaming } from "./renaming.ts";
import { Refused, demand } from "./session.ts";
import type { Session } from "./session.ts";
import { hiddenText, shownAt } from "./showing.ts";
import type { Showing } from "./showing.ts";

/** Writes of the same fields that may have no effect before that is told. */
const mostTries = 3;
const mostKnown = 500;
const longestValue = 200;
const mostNoted = 100;

export async function planUpdate(session: Session, present: Present): Promise<Plan> {
  const { compiled, management, book, fields, desired } = session;
  const { binding } = compiled;
  const pages = book.pages;
  const unshown = unshownNow(session);
  const known = (pages.knownDifferences ?? []) as unknown as readonly KnownDifference[];
  const given = {
    desired,
    lastApplied: pages.lastApplied,
    observed: present.object,
    fields,
    known,
    digest: session.digest,
    asNoted: (value: Json) => hideIn(value, session.hide),
    operations: asLearnt(elementOperations(binding), pages.replaces ?? []),
    driftPolicy: management.drift ?? binding.drift ?? "correct",
    unshown: unshown.fields,
    tries: unshown.count,
  } as const;
  const usual = planFor(given);
  if (usual.kind !== "write" || !session.hooks.some(({ hooks }) => hooks.chooseVerb)) return usual;
  const changes: readonly HookChange[] = usual.changes.map(hookChange);
  const verb = await throughHooks<readonly HookChange[], Verb | undefined>(
    session.hooks,
    "chooseVerb",
    { input: changes, resource: session.resource, last: () => Promise.resolve(undefined) },
  );
  return verb === undefined ? usual : planFor({ ...given, verb });
}

/** The request of a write, whole. */
export function requestOf(session: Session, write: Write, present: Present): ClientRequest {
  const { binding } = session.compiled;
  const { operation, body } = write;
  const parameters = parametersOf(session);
  const query = expandQuery(operation.query, parameters);
  const { path } = session.book.pages;
  const { etag } = present;
  return {
    method: operation.method,
    path:
      operation.path === undefined
        ? (path ?? expandPath(binding.item, parameters))
        : expandPath(operation.path, parameters),
    mediaType: operation.mediaType ?? usualType(operation),
    body: wholeBody(session, operation, body, present),
    ...(query === undefined ? {} : { query }),
    ...(etag === undefined || operation.hasEtag === false ? {} : { ifMatch: etag }),
  };
}

/** "written": look again. Else the run ends with the outcome. */
export type Sent =
  | { readonly kind: "written" }
  | { readonly kind: "ends"; readonly outcome: Outcome };

export async function sendWrite(session: Session, write: Write, present: Present): Promise<Sent> {
  const { book } = session;
  const request = requestOf(session, write, present);
  const applied = appliedDocument(session);
  const keep = (body: JsonObject): JsonObject => appliedDocument(session, body);
  const renaming = { write, request, present, applied: keep };
  await noteRenaming(session, renaming);
  let answer;
  try {
    answer = await demand(session, request);
  } catch (error) {
    await forgetUnsent(session, error);
    if (!(error instanceof Refused) || error.facts.status !== 412) throw error;
    return { kind: "ends", outcome: changedMeanwhile(session) };
  }
  session.count("write");
  noteWrite(session, request, write.changes, write.because);
  const target = session.client.targetOf(request.path);
  if (trackOperation(session, answer, { verb: "update", target, applied })) {
    await book.keep();
    return { kind: "ends", outcome: operationBegun(session, "Updating") };
  }
  await noteNewId(session, answer, renaming);
  book.set({ lastApplied: keepUnremoved(session, applied, write.changes) });
  await book.keep();
  return { kind: "written" };
}

export function changedMeanwhile({ book }: Session): Outcome {
  const message = "another client changed the object: it is read again";
  const status = book.changes();
  return again(100, { reason: "ChangedMeanwhile", message, ready: "keep", status });
}

/** After a write, what is shown now: learns, or counts what is missing. */
export function learn(session: Session, present: Present): void {
  const { book, fields, desired, digest, hide } = session;
  const pages = book.pages;
  const known = (pages.knownDifferences ?? []) as unknown as readonly KnownDifference[];
  const { differences } = compareDocuments(
    { desired, lastApplied: pages.lastApplied, observed: present.object },
    { fields, known, digest, asNoted: (value) => hideIn(value, hide) },
  );
  // What was not sent, as it can only be updated, or is only told, says nothing about the write.
  const sent = objectsAt(pages.lastWrite, "fields").map((field) => textAt(field, "path"));
  const isAll = sent.length === mostNoted;
  const isSent = ({ path, why, class: is, isSecret }: Difference): boolean =>
    why !== "wanted" &&
    is !== "create-only" &&
    !isSecret &&
    (isAll || sent.some((one) => hide(path) === one || hide(path).startsWith(`${one}/`)));
  const left = differences.filter(isSent);
  const isAlike = (each: Difference): boolean =>
    each.after !== undefined && areAlike(each.after, each.before);
  const learnt = left.filter(isAlike).flatMap((each) => knownBy(session, each));
  const paths = new Set(learnt.map(({ path }) => path));
  const kept = [...known.filter(({ path }) => !paths.has(path)), ...learnt].slice(-mostKnown);
  const missing = left.filter((each) => !isAlike(each)).map(({ path }) => hide(path));
  const before = unshownNow(session);
  const isPatch = textAt(pages.lastWrite, "request").startsWith("PATCH ");
  const replaced = isPatch ? replacedBy(sent, differences) : [];
  book.set({ replaces: [...new Set([...(pages.replaces ?? []), ...replaced])] });
  book.set({
    knownDifferences: kept as unknown as readonly JsonObject[],
    unshown:
      missing.length === 0
        ? undefined
        : {
            count: before.count + 1,
            fields: missing.slice(0, 50),
            generation: session.resource.metadata.generation,
          },
  });
}

/** What to say when a write is not shown; undefined when another may be tried. */
export function notConverged(session: Session): Outcome | undefined {
  const { count, fields } = unshownNow(session);
  if (count < mostTries) return undefined;
  const { lastWrite } = session.book.pages;
  const sinceMs = session.context.clock.nowMs() - Date.parse(textAt(lastWrite, "at"));
  const leftMs = session.resyncMs - sinceMs;
  if (leftMs <= 0) return undefined;
  const message =
    `the service accepted the write but did not apply it: ${fields.join(", ")}; ` +
    `correct the value, or the class of the field in the RestKind ${session.compiled.kind}`;
  return failed("NotConverged", message, {
    retry: "slow",
    afterMs: leftMs,
    status: session.book.changes(),
  });
}

/** Soon, as the service may need a moment to show what it was told. */
export function tryAgain(session: Session): Outcome {
  const { count, fields } = unshownNow(session);
  const message = `written, but not returned yet: ${fields.join(", ")}`;
  const status = session.book.changes();
  return again(500 * 2 ** count, { reason: "NotShownYet", message, ready: "keep", status });
}

export function operationBegun(session: Session, reason: string): Outcome {
  const { operation } = session.book.pages;
  const waitMs = Date.parse(textAt(operation, "notBefore")) - session.context.clock.nowMs();
  const ready = reason === "Updating" ? ({ ready: "keep" } as const) : {};
  return again(waitMs > 0 ? waitMs : 1_000, {
    reason,
    message: "operation in progress in the service",
    status: session.book.changes(),
    ...ready,
  });
}

/** What was last applied, once what is wanted now is: with digests in the place of secrets. */
export function appliedDocument(session: Session, document = session.desired): JsonObject {
  const masked = maskSecrets(document, session.fields, (value) => session.digest(value));
  return isJsonObject(masked) ? masked : {};
}

export function noteWrite(
  session: Session,
  request: ClientRequest,
  changes: readonly Difference[],
  why: string,
): void {
  session.book.set({
    lastWrite: {
      at: timeText(session.context.clock.nowMs()),
      request: `${request.method} ${request.path}`,
      why,
      generation: session.resource.metadata.generation,
      fields: changes.slice(0, mostNoted).map((each) => shownChange(session, each)),
    },
  });
}

/** A change may be of a whole in which something is secret, and a service may repeat a secret. */
export function shownChange(showing: Showing, change: Difference): JsonObject {
  const { path, before, after, why, isSecret } = change;
  const shown = (value: Json): Json =>
    isSecret ? hiddenText : shownValue(shownAt(showing, path, value));
  return {
    path: showing.hide(path),
    why,
    ...(before === undefined ? {} : { before: shown(before) }),
    ...(after === undefined ? {} : { after: shown(after) }),
  };
}

/** As it was found and as it should be, for people. */
export function changeText(session: Showing, change: Difference): string {
  const { before, after } = shownChange(session, change);
  const text = (value: Json | undefined): string =>
    value === undefined ? "nothing" : JSON.stringify(value);
  return `${session.hide(change.path)} (${text(before)} should be ${text(after)})`;
}

export function stuckWhy(reason: Extract<Plan, { kind: "stuck" }>["reason"]): string {
  return reason === "CreateOnlyChanged"
    ? "cannot be changed after creation; add it to connect.replace to replace the object"
    : "the service has no request that changes it";
}

function shownValue(value: Json): Json {
  const text = JSON.stringify(value);
  return text.length <= longestValue ? value : `${text.slice(0, longestValue)}...`;
}

function hookChange(change: Difference): HookChange {
  const { path, before, after, why } = change;
  return {
    path,
    why,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

/** Stored where all can read it, so without the secrets that the service repeats. */
function knownBy(
  { hide }: Showing,
  { path, before, after }: Difference,
): readonly KnownDifference[] {
  if (after === undefined) return [];
  const shown = before === undefined ? {} : { shown: hideIn(before, hide) };
  return [{ path: hide(path), sent: hideIn(after, hide), ...shown }];
}

interface Unshown {
  readonly count: number;
  readonly fields: readonly string[];
}

/** Of this generation: a changed intent begins anew. */
function unshownNow({ book, resource }: Session): Unshown {
  const { unshown } = book.pages;
  if (numberAt(unshown, "generation") !== resource.metadata.generation) {
    return { count: 0, fields: [] };
  }
  return { count: numberAt(unshown, "count") ?? 0, fields: textsAt(unshown, "fields") };
}

/** Lists and maps that should be gone stay noted until they are: some services ignore omission. */
function keepUnremoved(
  session: Session,
  applied: JsonObject,
  changes: readonly Difference[],
): JsonObject {
  const { count } = unshownNow(session);
  if (count + 1 >= mostTries) return applied;
  return changes.reduce<JsonObject>((kept, { path, before, why }) => {
    const isLarge = before !== undefined && (isJsonArray(before) || isJsonObject(before));
    if (why !== "removed" || !isLarge) return kept;
    const tokens = parsePointer(path);
    const old = getAt(session.book.pages.lastApplied ?? {}, tokens);
    return old === undefined ? kept : setDeep(kept, tokens, old);
  }, applied);
}

function usualType(operation: WriteOperation): string {
  return "style" in operation && operation.style === "json"
    ? "application/json-patch+json"
    : "application/json";
}

/** An element is changed as a whole, whatever the request that changes its parent. */
function elementOperations({ operations, element }: Binding): Binding["operations"] {
  if (element === undefined) return operations;
  const { patch, replace } = operations;
  const operation = element.command === undefined ? (replace ?? patch) : (patch ?? replace);
  if (operation === undefined) return {};
  const { method, path, query, body, mediaType, hasEtag } = operation;
  const parts = { path, query, body, mediaType, hasEtag };
  const given = Object.entries(parts).filter(([, part]) => part !== undefined);
  return { replace: { method, ...(Object.fromEntries(given) as Partial<WriteOperation>) } };
}

function wholeBody(
  session: Session,
  operation: WriteOperation,
  body: Json,
  present: Present,
): Json {
  const { element } = session.compiled.binding;
  if (element === undefined || !isJsonObject(body)) return enveloped(body, operation.body);
  return elementBody(session, operation, { put: body, whole: present.whole });
}

/** A command for the one element, or the list of the parent with the element in its place. */
export function elementBody(
  session: Session,
  operation: WriteOperation,
  {
    put,
    whole,
    isDeletion = false,
  }: {
    readonly put: JsonObject;
    readonly whole: JsonObject;
    readonly isDeletion?: boolean;
  },
): Json {
  const { element } = session.compiled.binding;
  if (element === undefined) return put;
  const { list, keys, command } = element;
  if (command !== undefined) {
    const word = isDeletion ? command.delete : command.put;
    return enveloped(enveloped([{ ...put, [command.field]: word }], list), operation.body);
  }
  const isSame = (item: Json): boolean =>
    keys.every((key) => equalJson(getAt(item, parsePointer(key)), getAt(put, parsePointer(key))));
  const items = getAt(whole, parsePointer(list));
  const others = items !== undefined && isJsonArray(items) ? items.filter((i) => !isSame(i)) : [];
  const next = isDeletion ? others : [...others, put];
  const isPatch = operation.method === "PATCH";
  const document = isPatch ? enveloped(next, list) : setDeep(whole, parsePointer(list), next);
  return enveloped(document, operation.body);
}
