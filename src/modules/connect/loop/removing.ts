// Takes an object away: by the path that was stored, whatever became of its parents. That it is not
// there is a success, and is confirmed by looking. What fails is tried again for ever, and says how
// to let go of the object instead.

import { again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import { setDeep } from "../plan/documents.ts";
import { expandPath, expandQuery } from "../plan/requests.ts";
import { unconfirmed } from "./absence.ts";
import { noteAnswered, resolveCreation } from "./creating.ts";
import { observeCreated, placeCreated, unfound } from "./created.ts";
import { inTurn } from "./element-turn.ts";
import { isPermission, observe, parametersOf } from "./observing.ts";
import type { Present } from "./observing.ts";
import { askOperation, trackOperation } from "./operations.ts";
import { hasMoved, isLost, lost, moved, noteId, placeToRemove } from "./placing.ts";
import { observeRenamed, untilRenamed } from "./renamed.ts";
import { Refused, demand } from "./session.ts";
import type { Session } from "./session.ts";
import { holdersOf, nameOfSibling, rightfulOf } from "./siblings.ts";
import { changedMeanwhile, elementBody, operationBegun } from "./writing.ts";

export async function removeForGood(session: Session): Promise<Outcome> {
  const { book } = session;
  const asked = await askOperation(session);
  if (asked.kind === "running") return asked.outcome;
  if (asked.kind === "succeeded" && asked.verb === "create") noteAnswered(session);
  const place = await placeOfRemoval(session);
  if (place.kind === "ends") return place.outcome;
  if (place.kind === "nothing") return done({ status: book.changes() });
  if (place.kind === "left") {
    session.context.event("Normal", "Detached", place.message);
    return done({ status: book.changes() });
  }
  return await inTurn(session, async () => {
    const looked = await observeRenamed(session, place.path);
    if (looked.kind === "ends") return looked.outcome;
    const observed = await observeCreated(session, looked.observed);
    if (observed.kind === "absent" && observed.isUnconfirmed !== true) {
      return absentOutcome(session, observed.why);
    }
    const uncertain = untilRenamed(session);
    if (uncertain !== undefined) return uncertain;
    // What a refusal hides is deleted as well: the response to that is a proof.
    const present = observed.kind === "present" ? observed : hidden;
    return (await removeObject(session, present)) ?? done({ status: book.changes() });
  });
}

/** An object that the service refuses to show. */
export const hidden: Present = { kind: "present", object: {}, whole: {}, etag: undefined };

/** An object that was created and never seen may exist elsewhere in the service. */
export function absentOutcome(session: Session, why: string): Outcome {
  if (hasMoved(session)) return moved(session);
  return unfound(session, why) ?? done({ status: session.book.changes() });
}

export type RemovalPlace =
  | { readonly kind: "at"; readonly path: string }
  /** Nothing was ever made. */
  | { readonly kind: "nothing" }
  /** It is another's. */
  | { readonly kind: "left"; readonly message: string }
  | { readonly kind: "ends"; readonly outcome: Outcome };

/** Where the object is that has to go, if any. */
export async function placeOfRemoval(session: Session): Promise<RemovalPlace> {
  const { book } = session;
  placeCreated(session);
  placeToRemove(session);
  await book.keep();
  const { creating, path } = book.pages;
  if (path === undefined) {
    if (isLost(session)) return { kind: "ends", outcome: lost(session) };
    if (creating === undefined) return { kind: "nothing" };
    if (hasMoved(session)) return { kind: "ends", outcome: moved(session) };
    const { identity, item } = session.compiled.binding;
    if (identity.kind === "server") {
      const resolved = await resolveCreation(session);
      if (resolved.kind === "ends") return resolved;
      if (resolved.kind === "notMade") return { kind: "nothing" };
      noteId(session, resolved.id);
    } else book.set({ path: expandPath(item, parametersOf(session)) });
    await book.keep();
  }
  const at = book.pages.path ?? "";
  const other = rightfulOf(session, await holdersOf(session, at));
  if (other === undefined) return { kind: "at", path: at };
  const message = `the object is kept: ${nameOfSibling(session, other)} manages it`;
  return { kind: "left", message };
}

/** Undefined once it is gone. */
export async function removeObject(
  session: Session,
  present: Present,
): Promise<Outcome | undefined> {
  const { book, compiled } = session;
  const request = removeRequest(session, present);
  if (request === undefined) return notSupported(session);
  let isProven = true;
  try {
    const answer = await demand(session, request);
    session.count("write");
    const target = session.client.targetOf(request.path);
    if (trackOperation(session, answer, { verb: "delete", target })) {
      await book.keep();
      return operationBegun(session, "Deleting");
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.facts.status === 412 && compiled.binding.element !== undefined) {
      return changedMeanwhile(session);
    }
    if (error.classified.is !== "absent") throw error;
    isProven = !isPermission(error.facts.status);
  }
  const { read, list } = compiled.binding.operations;
  if (read === undefined && list === undefined) return undefined;
  const left = await observe(session, book.pages.path ?? "");
  if (left.kind === "absent") {
    const isUnconfirmed = !isProven && left.isUnconfirmed === true;
    return isUnconfirmed ? unconfirmed(session, left.why) : undefined;
  }
  const message = "the service accepted the deletion but still returns the object";
  return again(1_000, { reason: "Deleting", message, status: book.changes() });
}

/** Undefined where the service has none. */
export function removeRequest(
  session: Session,
  present: Present,
): Parameters<typeof demand>[1] | undefined {
  const { operations, element, item } = session.compiled.binding;
  const parameters = parametersOf(session);
  const { path } = session.book.pages;
  if (element !== undefined) {
    const operation = element.command === undefined ? operations.replace : operations.patch;
    const used = operation ?? operations.patch ?? operations.replace;
    if (used === undefined) return undefined;
    const keys = element.keys.reduce<JsonObject>((made, key) => {
      const value = getAt(present.object, parsePointer(key));
      return value === undefined ? made : setDeep(made, parsePointer(key), value);
    }, {});
    const body = elementBody(session, used, { put: keys, whole: present.whole, isDeletion: true });
    const at = used.path === undefined ? (path ?? item) : expandPath(used.path, parameters);
    const { etag } = present;
    const isSafe = element.command !== undefined || etag === undefined || used.hasEtag === false;
    return { method: used.method, path: at, body, ...(isSafe ? {} : { ifMatch: etag }) };
  }
  const operation = operations.delete;
  if (operation === undefined) return undefined;
  const query = expandQuery(operation.query, parameters);
  return {
    method: operation.method,
    path:
      operation.path === undefined
        ? (path ?? expandPath(item, parameters))
        : expandPath(operation.path, parameters),
    ...(query === undefined ? {} : { query }),
  };
}

export const notSupportedMessage =
  "the service has no delete request: to keep the object, annotate the resource with " +
  "setpoint.dev/policy=detach-on-delete, or set connect.manage to keep";

function notSupported(session: Session): Outcome {
  return failed("DeletionNotSupported", notSupportedMessage, {
    retry: "slow",
    status: session.book.changes(),
  });
}
