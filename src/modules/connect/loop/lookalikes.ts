// Looks for the object of a creation that was not answered, among all that the service lists. Taken
// is what shows our mark, or what shows all that was sent and tells enough to be no other: a name,
// or several fields. What other resources have is theirs. Where several of them wait for the same,
// which are equal then, the one that asked first gets the first.

import { equalJson, getOwn } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { areAlike, areSame } from "../plan/alike.ts";
import { maskSecrets } from "../plan/documents.ts";
import { expandPath, pathText } from "../plan/requests.ts";
import { listObjects, parametersOf } from "./observing.ts";
import { ownerMark } from "./owner-mark.ts";
import type { Session } from "./session.ts";
import { creatorsBeside, holdersOf } from "./siblings.ts";

export interface Candidate {
  readonly id: string;
  /** It shows all that was sent, or our mark; else it only looks like it. */
  readonly isCertain: boolean;
}

const mostKnown = 1_000;
/** Without a name among them, fewer equal fields are no proof. */
const tellingFields = 3;

export interface Known {
  readonly ids: readonly string[];
  /** There are more than can be remembered, so that none can be told from them later. */
  readonly isCut: boolean;
}

/** Ids of objects that look like ours already, so that they are not taken for it later. */
export async function alikeNow(session: Session, body: JsonObject): Promise<Known> {
  const { identity, operations } = session.compiled.binding;
  if (identity.kind !== "server" || operations.list === undefined) return { ids: [], isCut: false };
  const ids = (await matching(session, body)).map(({ id }) => id);
  return cut(ids);
}

/** Both together. */
export function withKnown(one: Known, other: Known): Known {
  const all = cut([...new Set([...other.ids, ...one.ids])]);
  return { ...all, isCut: all.isCut || one.isCut || other.isCut };
}

function cut(ids: readonly string[]): Known {
  return { ids: ids.slice(0, mostKnown), isCut: ids.length > mostKnown };
}

export type Search =
  | { readonly kind: "found"; readonly id: string }
  | { readonly kind: "none" }
  /** Others wait for the answer to the same request: what is there may be theirs. */
  | { readonly kind: "wait" }
  | { readonly kind: "unclear"; readonly ids: readonly string[] };

export interface SearchInput {
  readonly sent: JsonObject;
  readonly known: ReadonlySet<string>;
  readonly since: string;
  /** After which a request has either been carried out or never will be. */
  readonly graceMs: number;
}

/** The service is listed first: who made what is in the list had noted that before. */
export async function searchFor(session: Session, input: SearchInput): Promise<Search> {
  const { sent, known, since, graceMs } = input;
  const fresh = (await matching(session, sent)).filter(({ id }) => !known.has(id));
  const free: Candidate[] = [];
  for (const each of fresh) if (await isFree(session, each.id)) free.push(each);
  if (free.length === 0) return { kind: "none" };
  const rivals = (await creatorsBeside(session)).filter((each) => wantsSame(session, each, sent));
  const nowMs = session.context.clock.nowMs();
  if (rivals.some((each) => Date.parse(sinceOf(each)) + graceMs > nowMs)) return { kind: "wait" };
  const certain = free.filter(({ isCertain }) => isCertain).map(({ id }) => id);
  const unclear = { kind: "unclear", ids: free.map(({ id }) => id) } as const;
  if (certain.length === 0 || certain.length > rivals.length + 1) return unclear;
  const { uid } = session.resource.metadata;
  const queue = rivals.map((each) => `${sinceOf(each)} ${each.metadata.uid}`);
  const before = queue.filter((other) => other < `${since} ${uid}`).length;
  const own = certain.toSorted()[before];
  if (own !== undefined) return { kind: "found", id: own };
  return certain.length < free.length ? unclear : { kind: "none" };
}

/** The objects that may be what was sent. */
async function matching(session: Session, body: JsonObject): Promise<readonly Candidate[]> {
  const { identity, ownerMarker } = session.compiled.binding;
  if (identity.kind !== "server") return [];
  const field = parsePointer(identity.field ?? "/id");
  const found: Candidate[] = [];
  for await (const object of listObjects(session)) {
    const id = pathText(getAt(object, field));
    if (id === undefined) continue;
    const mark = ownerMarker === undefined ? undefined : getAt(object, parsePointer(ownerMarker));
    const isMarked = mark !== undefined && mark === ownerMark(session.resource);
    const isLike = ownerMarker === undefined && shows(session, object, body, { isCertain: false });
    if (!isMarked && !isLike) continue;
    const isCertain = isMarked || shows(session, object, body, { isCertain: true });
    found.push({ id, isCertain });
  }
  return found;
}

/** What is called otherwise is another object, and what is called almost so may be one. */
const names =
  /^(?:(?:display|host|user|full)?name|title|label|slug|key|domain|email|address|path)$/i;

/** Whether the object has the names that were sent, and at least half of the rest. */
export function resembles(session: Session, object: JsonObject, body: JsonObject): boolean {
  let [alike, compared] = [0, 0];
  for (const [key, sent] of Object.entries(body)) {
    const { rule } = session.fields.child(key);
    const shown = getOwn(object, key);
    if (rule.isSecret || rule.class === "write-only" || shown === undefined) continue;
    const isAlike = areAlike(sent, shown);
    if (!isAlike && names.test(key)) return false;
    compared += 1;
    if (isAlike) alike += 1;
  }
  return compared > 0 && 2 * alike >= compared;
}

/** Whether the object shows what was sent; certain only where that tells it from all others. */
function shows(
  session: Session,
  object: JsonObject,
  body: JsonObject,
  { isCertain }: { readonly isCertain: boolean },
): boolean {
  const [values, texts] = isCertain ? [areSame, equalJson] : [areAlike, areSame];
  let compared = 0;
  let isNamed = false;
  for (const [key, sent] of Object.entries(body)) {
    const { rule } = session.fields.child(key);
    const shown = getOwn(object, key);
    if (rule.isSecret || rule.class === "write-only" || shown === undefined) continue;
    const isName = names.test(key);
    if (!(isName ? texts : values)(sent, shown)) return false;
    compared += 1;
    isNamed ||= isName;
  }
  return isCertain ? isNamed || compared >= tellingFields : compared > 0;
}

async function isFree(session: Session, id: string): Promise<boolean> {
  const { identity, item } = session.compiled.binding;
  if (identity.kind !== "server") return true;
  const path = expandPath(item, { ...parametersOf(session), [identity.parameter]: id });
  return (await holdersOf(session, path)).length === 0;
}

function wantsSame(session: Session, other: Resource, sent: JsonObject): boolean {
  const theirs = objectAt(other.status, "connect", "creating", "sent");
  const plain = (body: JsonObject): ReturnType<typeof maskSecrets> =>
    maskSecrets(body, session.fields, () => "");
  return equalJson(plain(theirs), plain(sent));
}

function sinceOf(other: Resource): string {
  return textAt(other.status, "connect", "creating", "since");
}
