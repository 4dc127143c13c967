// What came of a change that may have given the object another id, and that was not answered (see
// `renaming.ts`). Where the object is gone, what the change made is looked for before anybody else
// is held to have removed it. Where it is still there, the service may not have come to it yet:
// nothing else is sent until it cannot any more, as that would make two of one.

import { again } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { isTrueAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { leftOfGrace, resolveCreation } from "./creating.ts";
import { isSameAs } from "./lookalikes.ts";
import { observe } from "./observing.ts";
import type { Observed, Present } from "./observing.ts";
import { hasMoved, noteId } from "./placing.ts";
import type { Session } from "./session.ts";

export type Followed =
  | { readonly kind: "looked"; readonly observed: Observed }
  | { readonly kind: "ends"; readonly outcome: Outcome };

/** What is at the path, or wherever an unanswered change has put it. */
export async function observeRenamed(session: Session, path: string): Promise<Followed> {
  const { book, management } = session;
  const observed = await observe(session, path);
  const { renaming } = book.pages;
  if (renaming === undefined || hasMoved(session)) return { kind: "looked", observed };
  if (observed.kind === "present") {
    if (isSettled(session, observed)) book.set({ renaming: undefined });
    return { kind: "looked", observed };
  }
  // A person may have said which one it is.
  const given = management.id !== textAt(renaming, "given") ? management.id : undefined;
  const found =
    given === undefined
      ? await resolveCreation(session, renaming)
      : ({ kind: "found", id: given } as const);
  if (found.kind === "ends") return found;
  if (found.kind === "notMade" || given !== undefined) book.set({ renaming: undefined });
  if (found.kind === "notMade") return { kind: "looked", observed };
  // That it is ours is known from the note, so that stays until it is seen.
  noteId(session, found.id);
  await book.keep();
  const there = await observe(session, book.pages.path ?? path);
  if (there.kind === "absent" && given === undefined) return notShownYet(session, found.id);
  book.set({ renaming: undefined });
  return { kind: "looked", observed: there };
}

function notShownYet(session: Session, id: string): Followed {
  const message = `an update changed its id to ${id}; the service does not return it yet`;
  const status = session.book.changes();
  return { kind: "ends", outcome: again(1_000, { reason: "NotShownYet", message, status }) };
}

/** What to say while an unanswered change may still be carried out. */
export function untilRenamed(session: Session): Outcome | undefined {
  const { renaming } = session.book.pages;
  if (renaming === undefined) return undefined;
  const named = session.hide(textAt(renaming, "named"));
  const what =
    named === ""
      ? "an update that may change its id got no response and may still take effect"
      : `the response to an update has another id, ${named}, whose object is not updated yet`;
  const message = `${what}: no other request is sent until then`;
  const reason = "UpdateUncertain";
  return again(Math.min(Math.max(leftMs(session), 1_000), 5_000), {
    reason,
    message,
    ready: { status: "Unknown", reason, message },
    status: session.book.changes(),
  });
}

/** It was carried out where the object is, or never will be. */
function isSettled(session: Session, { object }: Present): boolean {
  const { renaming } = session.book.pages;
  if (leftMs(session) <= 0) return true;
  // Where an answer names another, this may be the old one that is shown a while longer.
  if (isTrueAt(renaming, "answered") && textAt(renaming, "named") === "") return true;
  if (isTrueAt(renaming, "looksSame")) return false;
  return isSameAs(session, object, objectAt(renaming, "sent"));
}

function leftMs(session: Session): number {
  return leftOfGrace(session, session.book.pages.renaming);
}
