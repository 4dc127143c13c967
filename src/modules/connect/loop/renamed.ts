// What came of a change that may have given the object another id, and that was not answered (see
// `renaming.ts`). Where the object is gone, what the change made is looked for before anybody else
// is held to have removed it. Where it is still there, the service may not have come to it yet:
// nothing else is sent until it cannot any more, as that would make two of one.

import { again } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { isTrueAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { graceMsOf, resolveCreation } from "./creating.ts";
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
  book.set({ renaming: undefined });
  if (found.kind === "notMade") return { kind: "looked", observed };
  noteId(session, found.id);
  await book.keep();
  return { kind: "looked", observed: await observe(session, book.pages.path ?? path) };
}

/** What to say while an unanswered change may still be carried out. */
export function untilRenamed(session: Session): Outcome | undefined {
  const { renaming } = session.book.pages;
  if (renaming === undefined) return undefined;
  const message =
    "a change that may give it another id was not answered, and may still be carried out: " +
    "nothing else is sent before";
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
  if (isTrueAt(renaming, "answered") || leftMs(session) <= 0) return true;
  return isSameAs(session, object, objectAt(renaming, "sent"));
}

function leftMs(session: Session): number {
  const since = Date.parse(textAt(session.book.pages.renaming, "since"));
  return since + graceMsOf(session) - session.context.clock.nowMs();
}
