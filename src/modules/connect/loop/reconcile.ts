// The loop for one object: look, compare, write at most what is needed, look again. Each step that
// must not be repeated is stored before the next, so that a crash at any point is a new look at the
// same record.

import { again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome, Readiness } from "../../../engine/outcome.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { HookDocuments, HookReadiness } from "../connect-hooks.ts";
import { equalJson, setOwn } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Difference } from "../plan/compare.ts";
import type { Plan } from "../plan/plan.ts";
import { expandPath, expandQuery } from "../plan/requests.ts";
import { judgeAbsence } from "./absence.ts";
import { create, noteAnswered, replacedWhy, resolveCreation } from "./creating.ts";
import type { Around } from "./creating.ts";
import { observeCreated, placeCreated, strayCreation } from "./created.ts";
import { inTurn } from "./element-turn.ts";
import { exportSecrets } from "./export-secrets.ts";
import { throughHooks } from "./hooks.ts";
import { etagOf, objectIn, observe, parametersOf, readJoins, shownObject } from "./observing.ts";
import type { Observed, Present } from "./observing.ts";
import { askOperation } from "./operations.ts";
import { isForeignMark, ownerMark } from "./owner-mark.ts";
import {
  hasMoved,
  isLost,
  lost,
  moved,
  noteAdopted,
  noteId,
  noteService,
  ownId,
  placeAnew,
} from "./placing.ts";
import { observeInParent, pathInParent } from "./parents.ts";
import { untilRenamed } from "./renamed.ts";
import { removeObject } from "./removing.ts";
import { demand } from "./session.ts";
import type { Session } from "./session.ts";
import { alsoHiding } from "./showing.ts";
import { holdersOf, nameOfSibling, rightfulOf } from "./siblings.ts";
import {
  appliedDocument,
  changeText,
  learn,
  notConverged,
  planUpdate,
  sendWrite,
  shownChange,
  stuckWhy,
  tryAgain,
} from "./writing.ts";

/** A creation, an update of what can only be updated, and one more for what others changed. */
const mostRounds = 4;

export async function reconcileObject(session: Session): Promise<Outcome> {
  const asked = await askOperation(session);
  if (asked.kind === "running" || asked.kind === "failed") return asked.outcome;
  if (asked.kind === "succeeded") {
    noteAnswered(session);
    await session.book.keep();
  }
  let hasWritten = asked.kind === "succeeded";
  for (let round = 0; round < mostRounds; round += 1) {
    const step = await oneRound(session, hasWritten);
    if (step.kind === "ends") return step.outcome;
    hasWritten = true;
  }
  const message =
    "each write leaves another difference: another client writes too, or the service " +
    "changes more than the request says; see status.connect.lastWrite";
  return failed("Unsteady", message, { retry: "slow", status: session.book.changes() });
}

interface Ended {
  readonly kind: "ends";
  readonly outcome: Outcome;
}

type Step = { readonly kind: "again" } | Ended;
const goOn: Step = { kind: "again" };

function ends(outcome: Outcome): Ended {
  return { kind: "ends", outcome };
}

async function oneRound(session: Session, hasWritten: boolean): Promise<Step> {
  return await inTurn(session, () => lookAndWrite(session, hasWritten));
}

async function lookAndWrite(session: Session, hasWritten: boolean): Promise<Step> {
  const found = await find(session);
  if (found.kind === "ends") return found;
  if (found.observed.kind === "absent") return await whenAbsent(session, found.observed);
  return await whenPresent(session, found.observed, hasWritten);
}

type Found = { readonly kind: "looked"; readonly observed: Observed } | Ended;

/** Looks where the object is, or would be. */
export async function find(session: Session): Promise<Found> {
  const { book, management } = session;
  placeCreated(session);
  const pages = book.pages;
  if (pages.path === undefined && management.id !== undefined) noteAdopted(session, management.id);
  else placeAnew(session);
  const { path } = book.pages;
  if (path !== undefined) {
    const found = await observeInParent(session, path);
    if (found.kind === "ends") return found;
    return { ...found, observed: await observeCreated(session, found.observed) };
  }
  if (pages.creating !== undefined && hasMoved(session)) return ends(moved(session));
  const { identity, item } = session.compiled.binding;
  if (identity.kind === "server") {
    if (isLost(session)) return ends(lost(session));
    if (pages.creating === undefined) {
      return { kind: "looked", observed: { kind: "absent", why: "it was not created yet" } };
    }
    const resolved = await resolveCreation(session);
    if (resolved.kind === "ends") return resolved;
    if (resolved.kind === "notMade") {
      return { kind: "looked", observed: { kind: "absent", why: "its creation had no effect" } };
    }
    // That it is ours is known from the creation that was begun, so that stays until it is seen.
    noteId(session, resolved.id);
    await book.keep();
    return { kind: "looked", observed: await observe(session, book.pages.path ?? "") };
  }
  const own = expandPath(item, parametersOf(session));
  const observed = await observeCreated(session, await observe(session, own));
  const stray = observed.kind === "present" ? undefined : await strayCreation(session, own);
  return stray === undefined ? { kind: "looked", observed } : ends(stray);
}

type Absent = Extract<Observed, { kind: "absent" }>;

async function whenAbsent(session: Session, absent: Absent): Promise<Step> {
  const { why } = absent;
  const absence = judgeAbsence(session, absent);
  if (absence.kind === "ends" ? absence.isGone : absence.wasSeen) {
    session.count("drift");
    session.context.event("Warning", "Drift", `the object no longer exists: ${why}`);
  }
  if (absence.kind === "ends") return ends(absence.outcome);
  const because = replacedWhy(session);
  const isElsewhere = forgetAbsent(session, absence.wasSeen);
  if (isElsewhere) {
    await session.book.keep();
    return goOn;
  }
  noteService(session);
  const created = await create(session, await parentDocument(session), because);
  if (created.kind === "ends") return created;
  if (created.kind === "made") return goOn;
  return await whenItExists(session, created.message);
}

/** Tells whether the object has to be looked for in another place now, as its parent is there. */
export function forgetAbsent(session: Session, wasSeen: boolean): boolean {
  if (!wasSeen && session.book.pages.replacing === undefined) return false;
  const isElsewhere = pathInParent(session) !== undefined;
  forget(session);
  return isElsewhere;
}

/** Elements without commands are put into the list of their parent, which has to be read first. */
async function parentDocument(session: Session): Promise<Around> {
  const { element, operations, item } = session.compiled.binding;
  if (element === undefined || element.command !== undefined) return {};
  const parameters = parametersOf(session);
  const path = expandPath(operations.read?.path ?? item, parameters);
  const query = expandQuery(operations.read?.query, parameters) ?? {};
  const answer = await demand(session, { method: "GET", path, query });
  const envelope = { pointer: operations.read?.answer, request: `GET ${path}` };
  const whole = objectIn(session, answer, envelope);
  return { whole, etag: etagOf(answer) };
}

/** Of an object that was there and is not any more, nothing is left but what we want. */
function forget(session: Session): void {
  session.book.set({
    id: undefined,
    path: undefined,
    lastApplied: undefined,
    knownDifferences: undefined,
    created: undefined,
    renaming: undefined,
    unshown: undefined,
    drift: undefined,
    replacing: undefined,
  });
}

async function whenItExists(session: Session, message: string): Promise<Step> {
  const { identity, item } = session.compiled.binding;
  if (identity.kind === "server") {
    return ends(
      failed("AlreadyExists", message, { retry: "slow", status: session.book.changes() }),
    );
  }
  const observed = await observe(session, expandPath(item, parametersOf(session)));
  if (observed.kind === "present") return await whenPresent(session, observed, false);
  return ends(failed("Conflict", message, { status: session.book.changes() }));
}

async function whenPresent(given: Session, present: Present, hasWritten: boolean): Promise<Step> {
  const session = alsoHiding(given, present.object);
  const { book, management } = session;
  const refusal = await takeOver(session, present);
  if (refusal !== undefined) return ends(refusal);
  if (management.manage === "observe") return ends(await settled(session, present, []));
  if (hasWritten) learn(session, present);
  const plan = await planUpdate(session, present);
  const uncertain = untilRenamed(session);
  switch (plan.kind) {
    case "nothing":
      book.set({
        lastApplied: appliedDocument(session),
        unshown: undefined,
        replacing: undefined,
      });
      return ends(await settled(session, present, plan.drift));
    case "stuck":
      return ends(stuck(session, plan));
    case "recreate":
      if (uncertain !== undefined) return ends(withObserved(session, present, uncertain));
      // What could not be made anew is not removed either.
      if (session.parent.kind === "ends") {
        return ends(withObserved(session, present, session.parent.outcome));
      }
      return await recreate(session, present, plan.changes);
    default: {
      const unshown = notConverged(session);
      if (unshown !== undefined) return ends(withObserved(session, present, unshown));
      if (hasWritten && book.pages.unshown !== undefined) {
        return ends(withObserved(session, present, tryAgain(session)));
      }
      if (uncertain !== undefined) return ends(withObserved(session, present, uncertain));
      tellDrift(session, plan.changes);
      const sent = await sendWrite(session, plan, present);
      return sent.kind === "ends" ? sent : goOn;
    }
  }
}

/** Whether an object that is there is ours to manage; what to say when it is not. */
export async function takeOver(session: Session, present: Present): Promise<Outcome | undefined> {
  const { book, management, compiled, resource } = session;
  const { ownerMarker, adopt } = compiled.binding;
  const pages = book.pages;
  const mark =
    ownerMarker === undefined ? undefined : getAt(present.object, parsePointer(ownerMarker));
  const isKnown = pages.lastApplied !== undefined || pages.creating !== undefined;
  if (isKnown && isForeignMark(mark, resource)) {
    const message = `the object is marked as ${JSON.stringify(mark)}: another resource manages it`;
    return failed("OwnershipConflict", message, { retry: "slow", status: book.changes() });
  }
  if (!isKnown && management.id === undefined && management.manage !== "observe") {
    const policy = management.adopt ?? adopt ?? "never";
    const isOurs = mark !== undefined && mark === ownerMark(resource);
    if (policy === "never" || (policy === "ours" && !isOurs)) {
      const message =
        "an object with this id already exists and was not created by this resource: " +
        'set connect.adopt to "any", or connect.id, to adopt it';
      return failed("AlreadyExists", message, { retry: "slow", status: book.changes() });
    }
    book.set({ adopted: true });
  }
  const id = ownId(session);
  if (pages.path === undefined && id !== undefined) noteId(session, id);
  // Noted before it is asked who else has: of two that take the same at once, one sees the other.
  if (!isKnown) await book.keep();
  const taken = await takenByAnother(session);
  if (taken !== undefined) return taken;
  noteService(session);
  const { lastWrite } = pages;
  book.set({
    creating: undefined,
    created: undefined,
    connection: session.client.settings.name,
    ...(lastWrite === undefined ? {} : { lastWrite: { ...lastWrite, isShown: true } }),
  });
  return undefined;
}

async function takenByAnother(session: Session): Promise<Outcome | undefined> {
  const { book, management } = session;
  const { path } = book.pages;
  if (path === undefined || management.manage === "observe") return undefined;
  const other = rightfulOf(session, await holdersOf(session, path));
  if (other === undefined) return undefined;
  const message =
    `${nameOfSibling(session, other)} already manages the object ${path}: delete one of them, or ` +
    "set connect.manage to observe";
  return failed("ObjectTaken", message, { retry: "slow", status: book.changes() });
}

function stuck(session: Session, plan: Extract<Plan, { kind: "stuck" }>): Outcome {
  const fields = plan.changes.map((each) => changeText(session, each)).join("; ");
  const { kind } = session.compiled;
  const hint = plan.reason === "CannotUpdate" ? ` (see operations in the RestKind ${kind})` : "";
  return failed(plan.reason, `${fields}: ${stuckWhy(plan.reason)}${hint}`, {
    retry: "slow",
    status: session.book.changes(),
  });
}

async function recreate(
  session: Session,
  present: Present,
  changes: readonly Difference[],
): Promise<Step> {
  const fields = changes.map((each) => changeText(session, each)).join("; ");
  if (session.management.id !== undefined) {
    const why = "the object was adopted by connect.id, and is never created again";
    const { book } = session;
    return ends(
      failed("CreateOnlyChanged", `${fields}: ${why}`, { retry: "slow", status: book.changes() }),
    );
  }
  session.context.event(
    "Normal",
    "Replacing",
    `the object is deleted and created again: ${fields}`,
  );
  const since = timeText(session.context.clock.nowMs());
  session.book.set({ replacing: { since, fields: changes.map(({ path }) => session.hide(path)) } });
  await session.book.keep();
  const outcome = await removeObject(session, present);
  if (outcome !== undefined) return ends(outcome);
  const { replacing } = session.book.pages;
  forget(session);
  // Until another is made, it tells why.
  session.book.set({ replacing });
  await session.book.keep();
  return goOn;
}

/** Everything is as it is going to be: what is seen, and whether it can be used. */
async function settled(
  session: Session,
  present: Present,
  drift: readonly Difference[],
): Promise<Outcome> {
  const { book } = session;
  noteDrift(session, drift);
  const joined = await readJoins(session);
  book.setPart("observed", shownObject(session, present.object));
  if (Object.keys(joined).length > 0) book.setPart("joined", joined);
  const values: MutableJsonObject = {};
  for (const [name, join] of Object.entries(joined)) {
    const value = valueAt(join, "value");
    if (value !== undefined) setOwn(values, name, value);
  }
  const documents = { observed: present.object, joined: values };
  await exportSecrets(session, documents);
  const ready = withDrift(session, await readiness(session, documents), drift);
  const status = book.changes();
  if (ready.status === "True") return done({ status, ready, resyncMs: session.resyncMs });
  const { reason, message } = ready;
  return again(untilReadyMs(session), { reason, message, status, ready });
}

/** Ever more rarely: what takes long may wait a tenth of that longer. */
function untilReadyMs({ resource, book, context, resyncMs }: Session): number {
  const conditions = objectsAt(resource, "status", "conditions");
  const unready = conditions.find((each) => {
    return textAt(each, "type") === "Ready" && textAt(each, "status") !== "True";
  });
  const nowMs = context.clock.nowMs();
  const unreadySince = Date.parse(textAt(unready, "lastTransitionTime")) || nowMs;
  // Before it was written it may have waited for something else.
  const sinceMs = Math.max(unreadySince, Date.parse(textAt(book.pages.lastWrite, "at")) || 0);
  return Math.min(Math.max((nowMs - sinceMs) / 10, soonMs), seldomMs, resyncMs);
}

const [soonMs, seldomMs] = [5_000, 60_000];

/** It can be used, and is not as it is wanted: that is for people to see, too. */
function withDrift(session: Session, ready: Readiness, drift: readonly Difference[]): Readiness {
  if (ready.status !== "True" || ready.message !== "" || drift.length === 0) return ready;
  const fields = drift.slice(0, 5).map((each) => changeText(session, each));
  const more = drift.length > fields.length ? `; and ${drift.length - fields.length} more` : "";
  const message = `changed by others, not corrected: ${fields.join("; ")}${more}`;
  return { ...ready, reason: "Drifted", message };
}

async function readiness(session: Session, documents: HookDocuments): Promise<Readiness> {
  const said = await throughHooks<HookDocuments, HookReadiness>(session.hooks, "isReady", {
    input: documents,
    resource: session.resource,
    last: (given) => Promise.resolve(readyByRule(session, given)),
  });
  const { isReady, reason = isReady ? "Available" : "NotReady", message = "" } = said;
  return { status: isReady ? "True" : "False", reason, message };
}

function readyByRule(session: Session, { observed, joined }: HookDocuments): HookReadiness {
  const { ready } = session.compiled;
  if (ready === undefined) return { isReady: true };
  const result = ready({ observed, joined });
  if (result === true) return { isReady: true };
  if (result === false) return { isReady: false, message: "the ready expression is false" };
  return {
    isReady: false,
    reason: "ReadyUnknown",
    message: `the ready expression failed: ${result.problem}`,
  };
}

function tellDrift(session: Session, changes: readonly Difference[]): void {
  const drifted = changes.filter(({ why }) => why === "drift");
  if (drifted.length === 0) return;
  session.count("drift");
  const fields = drifted.map((each) => changeText(session, each)).join("; ");
  session.context.event("Warning", "Drift", `changed by others, corrected: ${fields}`);
}

/** What others changed and is only told; told again when it is something else. */
function noteDrift(session: Session, drift: readonly Difference[]): void {
  const before = session.book.pages.drift ?? [];
  const since = timeText(session.context.clock.nowMs());
  const noted = (each: Difference): JsonObject => {
    const { path = "", before: found, after: wanted } = shownChange(session, each);
    const old = before.find((one) => textAt(one, "path") === path);
    const entry = {
      path,
      ...(found === undefined ? {} : { found }),
      ...(wanted === undefined ? {} : { wanted }),
      since: textAt(old, "since") || since,
    };
    return old !== undefined && equalJson(old, entry) ? old : { ...entry, since };
  };
  const entries = drift.slice(0, 100).map(noted);
  if (!equalJson(entries, before) && entries.length > 0) {
    session.count("drift");
    const fields = drift.map((each) => changeText(session, each)).join("; ");
    session.context.event("Warning", "Drift", `changed by others, not corrected: ${fields}`);
  }
  session.book.set({ drift: entries });
}

function withObserved(session: Session, present: Present, outcome: Outcome): Outcome {
  session.book.setPart("observed", shownObject(session, present.object));
  return { ...outcome, status: session.book.changes() };
}
