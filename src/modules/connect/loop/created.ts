// An object that a request created and that no read has shown yet. The id in the response wins over
// the id that the RestKind implies. If neither leads to the object, the run stops: the object has a
// name that the RestKind does not give, and another creation would only add to it. The note is
// stored with the response, so a restart or a resync does not create a second object. Nor does the
// deletion of the resource succeed before the object was seen.

import { again, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { timeText } from "../../../kernel/clock.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Answer } from "../http/answer.ts";
import type { ClientRequest } from "../http/client.ts";
import { expandPath } from "../plan/requests.ts";
import { resembles } from "./lookalikes.ts";
import { placesInAnswer } from "./named-places.ts";
import type { NamedPlace } from "./named-places.ts";
import { isListed, observe, parametersOf } from "./observing.ts";
import type { Observed } from "./observing.ts";
import { howToLetGo, noteAdopted } from "./placing.ts";
import type { Session } from "./session.ts";

const longestSettlingMs = 30_000;

/** A service may act, and show it, long after its response is no longer waited for. */
export function graceMsOf({ client }: Session): number {
  return 3 * client.settings.timeoutMs;
}

/** How long a service may take to show what it has created. */
export function settlingMsOf(session: Session): number {
  return Math.min(longestSettlingMs, graceMsOf(session));
}

/** Notes a confirmed creation; a request that cannot create a second object needs no note. */
export function noteCreated(session: Session, answer: Answer, request: ClientRequest): void {
  const { book } = session;
  if (isRepeatable(session, request)) return;
  const { sure, maybe } = placesInAnswer(session, answer, request);
  if (sure !== undefined) {
    book.set({ id: sure.id, path: sure.path });
    session.context.event("Warning", "IdentityCorrected", corrected(session, sure));
  }
  book.set({
    created: {
      since: timeText(session.context.clock.nowMs()),
      request: `${request.method} ${request.path}`,
      settings: settingsOf(session),
      ...(maybe.length === 0 ? {} : { named: maybe.map(noteOf) }),
    },
  });
}

function noteOf({ id, path, from }: NamedPlace): JsonObject {
  return { id, path, from };
}

/** A PUT at the path of the object gives the same object each time, as do keys of elements. */
function isRepeatable({ compiled, book }: Session, { method, path }: ClientRequest): boolean {
  if (compiled.binding.element !== undefined) return true;
  return method !== "POST" && path === book.pages.path;
}

/** What decides where the object is looked for. */
function settingsOf({ compiled }: Session): JsonObject {
  const { identity, item, operations } = compiled.binding;
  const { read, list } = operations;
  const parts = { identity, item, read, list };
  return parseExact(JSON.stringify(parts)) as JsonObject;
}

/**
 * After a correction of the RestKind the object is looked for again, as after a creation whose
 * response names no id. A user may also have named the object.
 */
export function placeCreated(session: Session): void {
  const { book, compiled, management } = session;
  const { created, id, lastApplied } = book.pages;
  if (created === undefined) return;
  if (management.id !== undefined) {
    if (management.id !== id) noteAdopted(session, management.id);
    return;
  }
  const settings = settingsOf(session);
  if (equalJson(objectAt(created, "settings"), settings)) return;
  const { identity } = compiled.binding;
  const field = "field" in identity ? (identity.field ?? "/id") : undefined;
  const named = objectsAt(created, "named").find((each) => textAt(each, "from") === field);
  book.set({
    creating: {
      since: textAt(created, "since"),
      request: textAt(created, "request"),
      sent: lastApplied ?? {},
      answered: true,
      // What looked like it before the creation was not noted: a user decides among several.
      knownIsCut: true,
      ...(named === undefined ? {} : { named: textAt(named, "id") }),
    },
    created: { ...created, settings },
    id: undefined,
    path: undefined,
  });
}

/** What is at the path, or at a place that the response to the creation named. */
export async function observeCreated(session: Session, observed: Observed): Promise<Observed> {
  const { book } = session;
  const { created, id, path, lastApplied } = book.pages;
  if (created === undefined || observed.kind === "present") return observed;
  if (observed.isShown === true) {
    book.set({ created: undefined });
    return observed;
  }
  for (const named of objectsAt(created, "named")) {
    const place = { id: textAt(named, "id"), path: textAt(named, "path") };
    book.set(place);
    // A status can be written by others: a path that the kind cannot have is not read.
    const other = book.pages.path === undefined ? undefined : await observe(session, place.path);
    if (other?.kind === "present" && resembles(session, other.object, lastApplied ?? {})) {
      const from = textAt(named, "from");
      session.context.event("Warning", "IdentityCorrected", corrected(session, { ...place, from }));
      return other;
    }
  }
  book.set({ id, path });
  return observed;
}

/** What to report while a created object is not shown; undefined when it was shown. */
export function unfound(session: Session, why: string): Outcome | undefined {
  const { book, context } = session;
  const { created } = book.pages;
  if (created === undefined) return undefined;
  const sinceMs = context.clock.nowMs() - Date.parse(textAt(created, "since"));
  const status = book.changes();
  if (sinceMs < settlingMsOf(session)) {
    const message = "the object was created but is not returned yet";
    return again(1_000, { reason: "NotShownYet", message, status });
  }
  return failed("IdentityMismatch", mismatch(session, created, why), { retry: "slow", status });
}

/**
 * A creation without a response, whose object the list has and the path does not: the service made
 * it, under another name than the RestKind gives. Undefined where there is no such object.
 */
export async function strayCreation(session: Session, path: string): Promise<Outcome | undefined> {
  const { book, compiled } = session;
  const { creating } = book.pages;
  const { read, list } = compiled.binding.operations;
  if (creating === undefined || read === undefined || list === undefined) return undefined;
  if (compiled.binding.element !== undefined || !(await isListed(session, path))) return undefined;
  const why = `GET ${path} does not return it, and the list does`;
  const message = mismatch(session, creating, why);
  return failed("IdentityMismatch", message, { retry: "slow", status: book.changes() });
}

function mismatch(session: Session, created: JsonObject, why: string): string {
  const { compiled, resource, hide } = session;
  const named = objectsAt(created, "named").map(
    (each) => `${textAt(each, "from")} is ${JSON.stringify(textAt(each, "id"))}`,
  );
  const shown = named.length === 0 ? "" : `; in the response, ${named.join(" and ")}`;
  const isGoing = resource.metadata.deletionTimestamp !== undefined;
  const help = isGoing
    ? `or set connect.id to the id of the object to delete it; ${howToLetGo}`
    : "or set connect.id to the id of the object; no other object is created";
  const settings = `identity or operations.${lookedBy(session)}`;
  return hide(
    `the service created the object (${textAt(created, "request")}), but it is not where ` +
      `${settingText(session)} expects it (${why.replace(/\.$/, "")})${shown}: ` +
      `correct ${settings} in the RestKind ${compiled.kind}, ${help}`,
  );
}

function lookedBy({ compiled }: Session): "read" | "list" {
  return compiled.binding.operations.read === undefined ? "list" : "read";
}

/** The setting that names the object, as it is written in the RestKind. */
export function settingText({ compiled }: Session): string {
  const { identity } = compiled.binding;
  switch (identity.kind) {
    case "composite":
      return `identity.fields (${Object.values(identity.fields).join(", ")})`;
    case "singleton":
      return "identity.kind (singleton)";
    default: {
      const usual = identity.kind === "client" ? "the name of the resource" : "/id";
      return `identity.field (${identity.field ?? `not set: ${usual}`})`;
    }
  }
}

function corrected(
  session: Session,
  place: { readonly id: string; readonly from: string },
): string {
  const { kind, binding } = session.compiled;
  const guess = expandPath(binding.item, { ...parametersOf(session), ...session.parameters });
  return session.hide(
    `the service names the object ${place.id} (${place.from} of the response), not ${guess}: ` +
      `the resource uses this id; correct identity in the RestKind ${kind}`,
  );
}
