// Changes that may give an object another id: the service chooses ids, and the change is not sent
// to the address of the object, as with the silences of Alertmanager, of which the old one expires.
// Only the answer tells the new id, so such a change is noted before it is sent, as a creation is.
// What came of one that was not answered is found out by `renamed.ts`.

import { timeText } from "../../../kernel/clock.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { getAt, parsePointer, removeAt } from "../../../kernel/pointer.ts";
import type { WriteOperation } from "../binding.ts";
import type { Answer } from "../http/answer.ts";
import type { ClientRequest } from "../http/client.ts";
import type { Write } from "../plan/plan.ts";
import { templateNames } from "../plan/requests.ts";
import { alikeNow, isSameAs, knownNote } from "./lookalikes.ts";
import type { Known } from "./lookalikes.ts";
import { idAfterWrite } from "./new-id.ts";
import type { Present } from "./observing.ts";
import { noteId } from "./placing.ts";
import { isCertainlyUndone } from "./session.ts";
import type { Session } from "./session.ts";

export interface Renaming {
  readonly write: Write;
  readonly request: ClientRequest;
  /** What is changed. */
  readonly present: Present;
  /** How a document is kept, without its secrets. */
  readonly applied: (document: JsonObject) => JsonObject;
}

/** Stores what is about to be sent. */
export async function noteRenaming(session: Session, renaming: Renaming): Promise<void> {
  const { write } = renaming;
  if (!mayRename(session, write.operation)) return;
  const known = await alikeNow(session, sentBy(session, write));
  session.book.set({ renaming: noteOf(session, renaming, known) });
  await session.book.keep();
}

function noteOf(
  session: Session,
  { write, request, present, applied }: Renaming,
  known: Known,
): JsonObject {
  const { book, management, context } = session;
  const { id = "" } = book.pages;
  const body = sentBy(session, write);
  return {
    since: timeText(context.clock.nowMs()),
    request: `${request.method} ${request.path}`,
    ...knownNote({ ...known, ids: [...new Set([id, ...known.ids])] }),
    sent: applied(body),
    // As where only a secret is changed: that the object looks so later proves nothing.
    ...(isSameAs(session, present.object, body) ? { looksSame: true } : {}),
    ...(management.id === undefined ? {} : { given: management.id }),
  };
}

/** After a failure: nothing is left to be found out where the service has certainly not acted. */
export async function forgetUnsent({ book }: Session, error: unknown): Promise<void> {
  if (book.pages.renaming === undefined || !isCertainlyUndone(error)) return;
  book.set({ renaming: undefined });
  await book.keep();
}

/** Notes the id that the object has by now; where that is in doubt, the note of it stays. */
export async function noteNewId(
  session: Session,
  answer: Answer,
  renaming: Renaming,
): Promise<void> {
  const { book } = session;
  const { operation } = renaming.write;
  const after = await idAfterWrite(session, answer.json, operation, async (named) => {
    const noted = book.pages.renaming ?? noteOf(session, renaming, unknown);
    book.set({ renaming: { ...noted, answered: true, named } });
    await book.keep();
  });
  if (after.kind === "unsure") return;
  if (after.kind === "other") {
    noteId(session, after.id);
    // It may be a while until all of the service shows it, as after a creation.
    book.set({ lastWrite: { ...book.pages.lastWrite, newId: after.id } });
  }
  book.set({ renaming: undefined });
}

/** Nobody has looked before, so that none can be told from what was there. */
const unknown: Known = { ids: [], isCut: true, isLoose: false };

function mayRename({ compiled }: Session, { path }: WriteOperation): boolean {
  const { identity, element } = compiled.binding;
  if (identity.kind !== "server" || element !== undefined || path === undefined) return false;
  return !templateNames(path).includes(identity.parameter);
}

/** What an object shows that this has made: all of it but the id, which is another then. */
function sentBy({ compiled, desired }: Session, { verb, body }: Write): JsonObject {
  const { identity } = compiled.binding;
  const whole = verb === "replace" && isJsonObject(body) ? body : desired;
  const field = identity.kind === "server" ? parsePointer(identity.field ?? "/id") : [];
  const rest: Json = getAt(whole, field) === undefined ? whole : removeAt(whole, field);
  return isJsonObject(rest) ? rest : whole;
}
