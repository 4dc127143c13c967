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
import { alikeNow, knownNote } from "./lookalikes.ts";
import { idAfterWrite } from "./new-id.ts";
import { noteId } from "./placing.ts";
import { isCertainlyUndone } from "./session.ts";
import type { Session } from "./session.ts";

/** Stores what is about to be sent; `applied` is how a document is kept, without its secrets. */
export async function noteRenaming(
  session: Session,
  write: Write,
  request: ClientRequest,
  applied: (document: JsonObject) => JsonObject,
): Promise<void> {
  const { book, management } = session;
  if (!mayRename(session, write.operation)) return;
  const body = sentBy(session, write);
  const known = await alikeNow(session, body);
  const { id = "" } = book.pages;
  book.set({
    renaming: {
      since: timeText(session.context.clock.nowMs()),
      request: `${request.method} ${request.path}`,
      ...knownNote({ ...known, ids: [...new Set([id, ...known.ids])] }),
      sent: applied(body),
      ...(management.id === undefined ? {} : { given: management.id }),
    },
  });
  await book.keep();
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
  operation: WriteOperation,
): Promise<void> {
  const { book } = session;
  const { renaming } = book.pages;
  const after = await idAfterWrite(session, answer.json, operation, async (named) => {
    if (renaming === undefined) return;
    book.set({ renaming: { ...renaming, answered: true, named } });
    await book.keep();
  });
  if (after.kind === "unsure") return;
  if (after.kind === "other") noteId(session, after.id);
  book.set({ renaming: undefined });
}

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
