// The id that the service gave an object, from the answer to the request that made it. Believed at
// once is what stands where the kind says, and a Location that is a path of the kind. Anything else
// that looks like an id may be that of a job or of another object: it counts once the object under
// it looks like what was sent.

import { getOwn, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { WriteOperation } from "../binding.ts";
import { isSecretName } from "../fields/secret-name.ts";
import type { Answer } from "../http/answer.ts";
import type { ClientRequest } from "../http/client.ts";
import { expandPath, parametersIn, pathText } from "../plan/requests.ts";
import { resembles } from "./lookalikes.ts";
import { observe, parametersOf } from "./observing.ts";
import type { Session } from "./session.ts";

export interface NamedId {
  readonly id: string;
  /** It has to be confirmed. */
  readonly isLoose: boolean;
}

/** In the body, or at the end of Location. */
export function idInAnswer(
  session: Session,
  { json, headers, status }: Answer,
  request: ClientRequest,
): NamedId | undefined {
  const { identity, item, operations } = session.compiled.binding;
  if (identity.kind !== "server") return undefined;
  // What is answered before the object is there is about the operation, unless we know better.
  if (status === 202 && operations.create?.answer === undefined) return undefined;
  const object = getAt(json ?? null, parsePointer(operations.create?.answer ?? "")) ?? null;
  const inBody = pathText(getAt(object, parsePointer(identity.field ?? "/id")));
  if (inBody !== undefined) return { id: inBody, isLoose: false };
  const { location } = headers;
  const from = session.client.targetOf(request.path);
  const resolved =
    location === undefined || status === 202 ? undefined : session.client.resolve(location, from);
  const path = resolved?.kind === "target" ? (resolved.target.split("?", 1)[0] ?? "") : "";
  const below = path.slice(session.client.targetOf("").length);
  const named = parametersIn(item, below)?.[identity.parameter];
  if (named !== undefined && named !== "") return { id: named, isLoose: false };
  const loose = looseId(session, object, identity.field) ?? lastSegment(path);
  return loose === undefined ? undefined : { id: loose, isLoose: true };
}

export type IdAfterWrite =
  | { readonly kind: "same" }
  | { readonly kind: "other"; readonly id: string }
  /** The answer names something that does not look like the object. */
  | { readonly kind: "unsure" };

/**
 * Some services give an object another id when it is changed. What an answer names may as well be a
 * job, or the request that failed, so it is noted first, and counts once the object is seen there.
 */
export async function idAfterWrite(
  session: Session,
  json: Json | undefined,
  operation: WriteOperation,
  note: (named: string) => Promise<void>,
): Promise<IdAfterWrite> {
  const { identity } = session.compiled.binding;
  if (identity.kind !== "server") return { kind: "same" };
  const object = getAt(json ?? null, parsePointer(operation.answer ?? ""));
  if (identity.field === undefined || object === undefined) return { kind: "same" };
  const exact = pathText(getAt(object, parsePointer(identity.field)));
  const named = exact ?? onlyId(session, object);
  if (named === undefined || named === session.book.pages.id) return { kind: "same" };
  await note(named);
  // Without a way to look at one, what stands where the kind says has to be believed.
  const isTold = exact !== undefined && session.compiled.binding.operations.read === undefined;
  const isIt = isTold || (await isConfirmed(session, named, session.desired));
  return isIt ? { kind: "other", id: named } : { kind: "unsure" };
}

/** Whether the object under the id looks like what was sent, and calls itself so. */
export async function isConfirmed(
  session: Session,
  id: string,
  sent: JsonObject,
): Promise<boolean> {
  const { identity, item, operations } = session.compiled.binding;
  const { read, list } = operations;
  if (identity.kind !== "server" || (read ?? list) === undefined) return false;
  const path = expandPath(item, { ...parametersOf(session), [identity.parameter]: id });
  const observed = await observe(session, path);
  if (observed.kind === "absent") return false;
  const own = pathText(getAt(observed.object, parsePointer(identity.field ?? "/id")));
  if (own !== undefined && own !== id) return false;
  return resembles(session, observed.object, sent);
}

/** Some answer a creation with another document than a read, in which the id has another name. */
function looseId(session: Session, object: Json, field: string | undefined): string | undefined {
  if (!isJsonObject(object)) return undefined;
  const last = field === undefined ? undefined : parsePointer(field).at(-1);
  for (const key of [last, "id", "Id", "ID", "uuid", "name"]) {
    const found = key === undefined ? undefined : pathText(getOwn(object, key));
    if (found !== undefined) return found;
  }
  return onlyId(session, object);
}

/** As the one thing that the answer says, under a name such as silenceID. */
function onlyId({ fields }: Session, object: Json): string | undefined {
  if (!isJsonObject(object)) return undefined;
  const [only, ...more] = Object.entries(object);
  if (only === undefined || more.length > 0) return undefined;
  const [name, value] = only;
  // The key that a service gives out once is no name: it would be shown, and sent in an address.
  if (fields.child(name).rule.isSecret || isSecretName(name)) return undefined;
  return /(?:id|uuid|key|name)$/i.test(name) ? pathText(value) : undefined;
}

function lastSegment(path: string): string | undefined {
  const last = path.split("/").at(-1) ?? "";
  try {
    return last === "" ? undefined : decodeURIComponent(last);
  } catch {
    // What cannot be read is no id.
    return undefined;
  }
}
