// What it means that an object is not there: that it is to be made, that it is late, or that a
// person has to say what is wanted. Decides only, so that a run and a look ahead come to the same.

import { again, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { incomplete, isCreation } from "./creating.ts";
import { settlingMsOf, unfound } from "./created.ts";
import type { Observed } from "./observing.ts";
import { hasMoved, howToLetGo, moved } from "./placing.ts";
import type { Session } from "./session.ts";

export type Absence =
  /** To be made; `wasSeen`: what is known of the one that was there is to be forgotten. */
  | { readonly kind: "make"; readonly wasSeen: boolean }
  /** Nothing is made; `isGone`: it was there. */
  | { readonly kind: "ends"; readonly isGone: boolean; readonly outcome: Outcome };

export function judgeAbsence(
  session: Session,
  { why, isUnconfirmed = false }: Omit<Extract<Observed, { kind: "absent" }>, "kind">,
): Absence {
  const { book, management, context, compiled } = session;
  if (management.manage === "observe") return ends(missing(session, "ObjectNotFound", why));
  if (hasMoved(session)) return ends(moved(session));
  const { lastApplied, replacing, lastWrite, id } = book.pages;
  // Of what was taken away to be made anew nothing counts any more.
  const wasSeen = lastApplied !== undefined && replacing === undefined;
  if (management.id !== undefined && !wasSeen) {
    return ends(missing(session, "ImportNotFound", why));
  }
  const late = unfound(session, why);
  if (late !== undefined) return ends(late);
  if (!wasSeen) return toBeMade(session, wasSeen);
  if (isUnconfirmed) return ends(unconfirmed(session, why));
  const sinceMs = context.clock.nowMs() - Date.parse(textAt(lastWrite, "at"));
  const isMade = isCreation(lastWrite);
  const isNew = isMade || textAt(lastWrite, "newId") !== "";
  // What was seen since its creation and is not there any more is gone, not late.
  if (isNew && lastWrite?.["isShown"] !== true && sinceMs < settlingMsOf(session)) {
    const message = `the object was ${isMade ? "created" : "renamed"} but is not returned yet`;
    return ends(again(1_000, { reason: "NotShownYet", message, status: book.changes() }));
  }
  const isServers = compiled.binding.identity.kind === "server";
  const isUnseen = isMade && lastWrite?.["isShown"] !== true;
  if (isUnseen && !isServers && sinceMs < session.resyncMs) return ends(unshown(session, sinceMs));
  if (isServers && (isUnseen || !hasBeenShown(session))) {
    return ends(incomplete(session, `the service never returned its id, ${id ?? "unknown"}`));
  }
  const policy = management.drift ?? compiled.binding.drift ?? "correct";
  if (policy === "report" || management.id !== undefined) {
    return { kind: "ends", isGone: true, outcome: missing(session, "ObjectGone", why) };
  }
  return toBeMade(session, wasSeen);
}

/** Nothing is made in a parent that is not there: what was in it is waited with until it is. */
function toBeMade({ parent, book }: Session, wasSeen: boolean): Absence {
  if (parent.kind === "found") return { kind: "make", wasSeen };
  return ends({ ...parent.outcome, status: book.changes() });
}

function ends(outcome: Outcome): Absence {
  return { kind: "ends", isGone: false, outcome };
}

function hasBeenShown({ book }: Session): boolean {
  return Object.keys(book.part("observed")).length > 0;
}

/** Neither created again nor held to be deleted: the credentials may have lost a permission. */
export function unconfirmed({ book, compiled, resource }: Session, why: string): Outcome {
  const isGoing = resource.metadata.deletionTimestamp !== undefined;
  const message =
    `${why}: the object existed, and a refusal does not prove that it was deleted; check the ` +
    `permissions of the credentials, or add operations.list to the RestKind ${compiled.kind}` +
    (isGoing ? `; ${howToLetGo}` : "");
  return failed("AbsenceUnconfirmed", message, { retry: "slow", status: book.changes() });
}

/** Made again once in a resync, as it may have been taken away before anybody looked. */
function unshown({ book, resyncMs }: Session, sinceMs: number): Outcome {
  const message = "the service confirmed the creation but does not return the object";
  const afterMs = resyncMs - sinceMs;
  const status = book.changes();
  return failed("NotConverged", message, { retry: "slow", afterMs, status });
}

type MissingReason = "ObjectNotFound" | "ImportNotFound" | "ObjectGone";

function missing(session: Session, reason: MissingReason, why: string): Outcome {
  const said = why.replace(/\.$/, "");
  const message = `the object does not exist: ${said}; ${adviceOn(session, reason)}`;
  return failed(reason, message, {
    retry: "slow",
    afterMs: session.resyncMs,
    ready: { status: "False", reason, message },
    status: session.book.changes(),
  });
}

/** For people: what they can do about it. */
function adviceOn({ management, compiled, resource }: Session, reason: MissingReason): string {
  if (reason === "ObjectNotFound") return "it is only observed, so it is not created";
  // Who asks what there is to adopt has no resource yet.
  if (resource.metadata.uid === "") return "there is nothing to adopt";
  if (reason === "ImportNotFound") {
    return (
      `connect.id is ${JSON.stringify(management.id)}, and an adopted object is never created: ` +
      "delete this resource and apply it again with the right id, or without an id to create it"
    );
  }
  if (management.id !== undefined) {
    return (
      "an adopted object is never created again: delete this resource and apply it again " +
      "without connect.id to create the object"
    );
  }
  const where =
    management.drift === undefined ? `drift in the RestKind ${compiled.kind}` : "connect.drift";
  return (
    `it is not created again because ${where} is "report": set connect.drift to "correct" ` +
    "to create it, or delete this resource"
  );
}
