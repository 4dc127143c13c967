// Looks for the object of a creation that was not answered, among all that the service lists. Taken
// is what shows our mark, or what shows all that was sent and tells enough to be no other: a name,
// or several fields. What other resources have is theirs. Where several of them wait for the same,
// which are equal then, the one that asked first gets the first.

import { equalJson, getOwn } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, presentObjectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { areAlike, areSame } from "../plan/alike.ts";
import { isMaskOf } from "../plan/echo.ts";
import { maskSecrets } from "../plan/documents.ts";
import { expandPath, pathText } from "../plan/requests.ts";
import { listObjects, parametersOf } from "./observing.ts";
import { ownerMark } from "./owner-mark.ts";
import type { Session } from "./session.ts";
import { creatorsBeside, holdersOf } from "./siblings.ts";

export interface Candidate {
  readonly id: string;
  /**
   * "certain": it shows all that was sent, or our mark; "alike": all, as far as that can be told;
   * "loose": most of it, as where the service makes something else of a field.
   */
  readonly is: "certain" | "alike" | "loose";
}

const mostKnown = 1_000;
/** Where more than these look a little like it, that says nothing. */
const mostLoose = 100;
/** Without a name among them, fewer equal fields are no proof. */
const tellingFields = 3;

export interface Known {
  readonly ids: readonly string[];
  /** There are more than can be remembered, so that none can be told from them later. */
  readonly isCut: boolean;
  /** Those that look like it only loosely are among them: what does later may be it. */
  readonly isLoose: boolean;
}

/** Ids of objects that look like ours already, so that they are not taken for it later. */
export async function alikeNow(session: Session, body: JsonObject): Promise<Known> {
  const { identity, operations } = session.compiled.binding;
  if (identity.kind !== "server" || operations.list === undefined) {
    return { ids: [], isCut: false, isLoose: false };
  }
  const all = await matching(session, body);
  const close = all.filter(({ is }) => is !== "loose").map(({ id }) => id);
  const loose = all.filter(({ is }) => is === "loose").map(({ id }) => id);
  const isLoose = close.length + loose.length <= mostLoose;
  return { ...cut(isLoose ? [...close, ...loose] : close), isLoose };
}

/** As it stands in the note of what is about to be sent. */
export function knownNote({ ids, isCut, isLoose }: Known): JsonObject {
  const [cutShort, loosely] = [isCut ? { knownIsCut: true } : {}, isLoose ? { loosely: true } : {}];
  return { known: ids, ...cutShort, ...loosely };
}

export function knownIn(note: JsonObject | undefined): Known {
  const [isCut, isLoose] = [isTrueAt(note, "knownIsCut"), isTrueAt(note, "loosely")];
  return { ids: textsAt(note, "known"), isCut, isLoose };
}

/** Both together. */
export function withKnown(one: Known, other: Known): Known {
  const all = cut([...new Set([...other.ids, ...one.ids])]);
  const isCut = all.isCut || one.isCut || other.isCut;
  return { ...all, isCut, isLoose: one.isLoose && other.isLoose };
}

function cut(ids: readonly string[]): Omit<Known, "isLoose"> {
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
  readonly known: Known;
  readonly since: string;
  /** After which a request has either been carried out or never will be. */
  readonly graceMs: number;
}

/** The service is listed first: who made what is in the list had noted that before. */
export async function searchFor(session: Session, input: SearchInput): Promise<Search> {
  const { sent, known, since, graceMs } = input;
  const before = new Set(known.ids);
  const fresh = (await matching(session, sent)).filter(({ id, is }) => {
    return !before.has(id) && (is !== "loose" || known.isLoose);
  });
  const free: Candidate[] = [];
  for (const each of fresh) if (await isFree(session, each.id)) free.push(each);
  if (free.length === 0) return { kind: "none" };
  const rivals = (await creatorsBeside(session)).filter((each) => wantsSame(session, each, sent));
  const nowMs = session.context.clock.nowMs();
  if (rivals.some((each) => Date.parse(sinceOf(each)) + graceMs > nowMs)) return { kind: "wait" };
  const certain = free.filter(({ is }) => is === "certain").map(({ id }) => id);
  const unclear = { kind: "unclear", ids: free.map(({ id }) => id) } as const;
  if (certain.length === 0 || certain.length > rivals.length + 1) return unclear;
  const { uid } = session.resource.metadata;
  const queue = rivals.map((each) => `${sinceOf(each)} ${each.metadata.uid}`);
  const earlier = queue.filter((other) => other < `${since} ${uid}`).length;
  const own = certain.toSorted()[earlier];
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
    // What is shown after its end, as an expired silence is, is nobody's any more.
    if (id === undefined || session.compiled.gone?.({ observed: object }) === true) continue;
    const mark = ownerMarker === undefined ? undefined : getAt(object, parsePointer(ownerMarker));
    const isMarked = mark !== undefined && mark === ownerMark(session.resource);
    const is = isMarked ? "certain" : ownerMarker === undefined && likeness(session, object, body);
    if (is !== false) found.push({ id, is });
  }
  return found;
}

function likeness(session: Session, object: JsonObject, body: JsonObject): Candidate["is"] | false {
  if (shows(session, object, body, { isCertain: true })) return "certain";
  if (shows(session, object, body, { isCertain: false })) return "alike";
  return likeShare(session, object, body) > 0.5 ? "loose" : false;
}

/** What is called otherwise is another object, and what is called almost so may be one. */
const names =
  /^(?:(?:display|host|user|full)?name|title|label|slug|key|domain|email|address|path)$/i;

/** Whether the object has the names that were sent, and at least half of the rest. */
export function resembles(session: Session, object: JsonObject, body: JsonObject): boolean {
  return likeShare(session, object, body) >= 0.5;
}

/** How much of what can be compared is alike; none where it is called otherwise. */
function likeShare(session: Session, object: JsonObject, body: JsonObject): number {
  let [alike, compared] = [0, 0];
  for (const [key, sent] of Object.entries(body)) {
    const { rule } = session.fields.child(key);
    const shown = getOwn(object, key);
    if (rule.isSecret || rule.class === "write-only" || shown === undefined) continue;
    if (isMaskOf(sent, shown)) continue;
    const isAlike = areAlike(sent, shown);
    if (!isAlike && names.test(key)) return 0;
    compared += 1;
    if (isAlike) alike += 1;
  }
  return compared === 0 ? 0 : alike / compared;
}

/** Whether the object shows all that was sent, as far as it shows it at all. */
export function isSameAs(session: Session, object: JsonObject, sent: JsonObject): boolean {
  return shows(session, object, sent, { isCertain: false });
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
    if (isMaskOf(sent, shown)) continue;
    // What others may have changed already says nothing about who made it.
    if (rule.isLeft) continue;
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
  const theirs = objectAt(unanswered(other), "sent");
  const plain = (body: JsonObject): ReturnType<typeof maskSecrets> =>
    maskSecrets(body, session.fields, () => "");
  return equalJson(plain(theirs), plain(sent));
}

function sinceOf(other: Resource): string {
  return textAt(unanswered(other), "since");
}

/** A creation, or a change that makes an object, too. */
function unanswered({ status }: Resource): JsonObject {
  const creating = presentObjectAt(status, "connect", "creating");
  return creating ?? objectAt(status, "connect", "renaming");
}
