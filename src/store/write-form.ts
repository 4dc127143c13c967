/**
 * Whether a write has the form that its type says, for callers whose types were not checked: a kind
 * that no engine knows would be taken as something else by each of them. This is on the path of
 * every commit, so it only asks what a value is: a switch on a text, the type of a value. What the
 * texts and numbers in it may be is checked in prepare.ts.
 */
import type { Draft } from "../kernel/draft.ts";
import { SetpointError } from "../kernel/errors.ts";
import { isObject } from "./arguments.ts";
import type { Cause } from "../kernel/cause.ts";
import type { ClaimRef, DueChange, Precondition, UniqueName, Write } from "./port.ts";

export function checkForm(write: Write, index: number): void {
  if (!isObject(write)) throw invalidWrite(index, "kind", "the write is missing");
  if (!isObject(write.key)) throw invalidWrite(index, "key", "must be the key of a resource");
  checkWhen(write.when, index);
  if (write.claim !== undefined) checkClaim(write.claim, index);
  switch (write.kind) {
    case "put":
      checkCause(write.cause, index);
      checkDraft(write.draft, index, "draft");
      if (write.due !== undefined) checkDue(write.due, index);
      checkItems(write.names, index, "names");
      checkHomes(write.names, index);
      checkItems(write.uses, index, "uses");
      checkItems(write.bounds, index, "bounds");
      return;
    case "delete":
      checkCause(write.cause, index);
      if (write.last !== undefined) checkDraft(write.last, index, "last");
      return;
    case "schedule":
      checkDue(write.due, index);
      return;
    default:
      write satisfies never;
      throw invalidWrite(index, "kind", "must be put, delete or schedule");
  }
}

export function invalidWrite(index: number, field: string, why: string): SetpointError {
  return new SetpointError("request.invalid", `writes[${index}].${field}: ${why}`, {
    details: { write: index, field },
  });
}

function checkWhen(when: Precondition, index: number): void {
  const kind = isObject(when) ? when.kind : undefined;
  switch (kind) {
    case "absent":
    case "revision":
    case "exists":
      return;
    default:
      kind satisfies undefined;
      throw invalidWrite(index, "when", "must be absent, revision or exists");
  }
}

function checkClaim(claim: ClaimRef, index: number): void {
  if (isObject(claim) && isObject(claim.key)) return;
  throw invalidWrite(index, "claim", "must be a key and a token");
}

function checkCause(cause: Cause, index: number): void {
  if (isObject(cause)) return;
  throw invalidWrite(index, "cause", "must name the actor and the surface");
}

function checkDue(due: DueChange, index: number): void {
  const kind = isObject(due) ? due.kind : undefined;
  switch (kind) {
    case "wake":
      if (due.afterMs === undefined) throw invalidWrite(index, "due.afterMs", "is missing");
      return;
    case "release":
      if (due.kind === "release" && isAttempts(due.attempts)) return;
      throw invalidWrite(index, "due.attempts", "must be keep or reset");
    default:
      kind satisfies undefined;
      throw invalidWrite(index, "due", "must be wake or release");
  }
}

function isAttempts(text: string): boolean {
  return text === "keep" || text === "reset";
}

function checkDraft(draft: Draft, index: number, field: string): void {
  if (!isObject(draft)) throw invalidWrite(index, field, "must be a draft");
  const { body, terms, secrets } = draft;
  if (!Buffer.isBuffer(body)) throw invalidWrite(index, `${field}.body`, "must be a Buffer");
  if (!Array.isArray(terms)) throw invalidWrite(index, `${field}.terms`, "must be a list");
  if (!Array.isArray(secrets) || !secrets.every((pointer) => typeof pointer === "string")) {
    throw invalidWrite(index, `${field}.secrets`, "must be a list of JSON Pointers");
  }
}

function checkHomes(names: readonly UniqueName[] | undefined, index: number): void {
  if (names?.every(({ home }) => home === undefined || isObject(home)) !== false) return;
  throw invalidWrite(index, "names.home", "must be the key of a resource");
}

function checkItems(list: readonly object[] | undefined, index: number, field: string): void {
  if (list === undefined || (Array.isArray(list) && list.every(isObject))) return;
  throw invalidWrite(index, field, "must be a list of objects");
}
