// The writers' evidence against the log: what was acknowledged is there, what was refused is not,
// what is unknown is there whole or not at all, and nothing is there that nobody asked for.
import type { Report } from "./check.ts";
import type { AnswerNote, WriteNote } from "./evidence.ts";
import type { Call, Ledger } from "./ledger.ts";
import type { Entry, ReplayedLog } from "./replay.ts";

/** The places in the log of each digest, deletions that only repeat the last document left out. */
type Places = ReadonlyMap<string, readonly Entry[]>;

export function checkCalls(log: ReplayedLog, ledger: Ledger, report: Report): void {
  const places = placesOf(log);
  for (const call of ledger.calls.values()) {
    const { outcome } = call;
    if (outcome.kind === "answered") {
      call.writes.forEach((write, index) => {
        const answer = outcome.answers[index];
        if (answer === undefined) report(`P7: ${call.id} has no answer for write ${index}`);
        else checkAnswer(log, places, { call, write, answer }, report);
      });
      checkGroup(call, outcome.answers, report);
    } else if (outcome.kind === "failed") {
      if (outcome.code.startsWith("untyped")) report(`P7: ${call.id} failed: ${outcome.code}`);
      checkAbsent(places, call, call.writes, `failed with ${outcome.code}`, report);
    } else {
      checkUnknown(log, places, call, report);
    }
  }
  checkOrigins(ledger, places, report);
  checkSeen(log, ledger, report);
  checkRealTime(ledger, report);
}

function placesOf(log: ReplayedLog): Places {
  const places = new Map<string, Entry[]>();
  for (const entry of log.byRevision.values()) {
    if (repeatsLast(log, entry)) continue;
    const list = places.get(entry.digest);
    if (list === undefined) places.set(entry.digest, [entry]);
    else list.push(entry);
  }
  return places;
}

/** A deletion without a document of its own shows the stored one. */
function repeatsLast(log: ReplayedLog, { change, digest }: Entry): boolean {
  if (change.type !== "deleted" || change.previous === undefined) return false;
  const before = log.byRevision.get(change.previous);
  // What a change after the mark replaced below the mark is still current there, so it is known.
  return before === undefined || before.digest === digest;
}

interface Answered {
  readonly call: Call;
  readonly write: WriteNote;
  readonly answer: AnswerNote;
}

function checkAnswer(
  log: ReplayedLog,
  places: Places,
  { call, write, answer }: Answered,
  report: Report,
): void {
  if (answer.kind === "refused") {
    return checkAbsent(places, call, [write], `was refused with ${answer.code}`, report);
  }
  if (write.write === "schedule") return;
  const { revision } = answer;
  const what = `${call.id} on ${write.key} at revision ${revision}`;
  const entry = log.byRevision.get(revision);
  if (entry === undefined) {
    // Below the mark only what is current there remains, and stateful reads check that.
    if (revision > log.compacted) report(`P1: lost the acknowledged ${what}; head ${log.head}`);
    return;
  }
  if (entry.key !== write.key) return report(`P3: ${what} belongs to ${entry.key}: reused`);
  if (answer.kind === "unchanged") {
    if (entry.digest !== write.digest) report(`P9: ${what} was called unchanged and was not`);
    return;
  }
  if (write.digest !== undefined && entry.digest !== write.digest) {
    report(`P1: ${what} holds other bytes than were acknowledged`);
  }
  if ((entry.change.type === "deleted") !== (write.write === "delete")) {
    report(`P1: ${what} is ${entry.change.type}, and a ${write.write} was acknowledged`);
  }
  if (revision > log.compacted) checkPrecondition(entry, write, what, report);
}

function checkPrecondition(entry: Entry, write: WriteNote, what: string, report: Report): void {
  const { type, previous } = entry.change;
  if (write.when === "absent" && type !== "created") report(`P4: ${what} replaced a resource`);
  if (write.when === "exists" && type === "created") report(`P4: ${what} made a resource`);
  if (typeof write.when === "number" && previous !== write.when) {
    report(`P4: ${what} asked for ${write.when} and replaced ${previous}`);
  }
}

function checkAbsent(
  places: Places,
  call: Call,
  writes: readonly WriteNote[],
  why: string,
  report: Report,
): void {
  for (const write of writes) {
    if (write.digest === undefined || write.isRepeat === true) continue;
    const found = places.get(write.digest)?.[0];
    if (found === undefined) continue;
    report(`P7: ${call.id} on ${write.key} ${why}, but is revision ${found.change.revision}`);
  }
}

/** An atomic group is answered whole, with consecutive revisions. */
function checkGroup(call: Call, answers: readonly AnswerNote[], report: Report): void {
  if (!call.atomic) return;
  const revisions = answers.flatMap((answer) =>
    answer.kind === "refused" ? [] : [answer.revision],
  );
  if (revisions.length === 0) return;
  const isWhole = revisions.length === answers.length;
  const isConsecutive = revisions.every((revision, i) => revision === (revisions[0] ?? 0) + i);
  if (!isWhole || !isConsecutive) report(`P2: group ${call.id} was answered ${revisions.join()}`);
}

function checkUnknown(log: ReplayedLog, places: Places, call: Call, report: Report): void {
  const traceable = call.writes.filter((write) => write.digest !== undefined && !write.isRepeat);
  const found = traceable.flatMap((write) => places.get(write.digest ?? "")?.slice(0, 1) ?? []);
  for (const [index, entry] of found.entries()) {
    const write = traceable[index];
    const isAboveMark = entry.change.revision > log.compacted;
    if (found.length === traceable.length && write !== undefined && isAboveMark) {
      checkPrecondition(entry, write, `unanswered ${call.id} on ${write.key}`, report);
    }
  }
  if (!call.atomic || found.length === 0) return;
  const revisions = found.map((entry) => entry.change.revision);
  const isWhole = found.length === traceable.length;
  const isConsecutive = revisions.every((revision, i) => revision === (revisions[0] ?? 0) + i);
  // A part below the mark may be gone because it was replaced; then the rest is no evidence.
  const areAboveMark = revisions.every((revision) => revision > log.compacted + traceable.length);
  if (areAboveMark && (!isWhole || !isConsecutive)) {
    report(`P2: group ${call.id} is there in part: revisions ${revisions.join()}`);
  }
}

/** Every change was asked for, and no call was applied twice. */
function checkOrigins(ledger: Ledger, places: Places, report: Report): void {
  const asked = new Set<string>();
  for (const call of ledger.calls.values()) {
    for (const write of call.writes) if (write.digest !== undefined) asked.add(write.digest);
  }
  for (const [digest, entries] of places) {
    const revisions = entries.map((entry) => entry.change.revision).join();
    const op = entries[0]?.document.spec.op;
    if (op?.startsWith("checker") === true) continue;
    if (!asked.has(digest)) report(`P1: revision ${revisions} (${op}) was never asked for`);
    if (entries.length > 1) report(`P7: ${op} was applied more than once: revisions ${revisions}`);
  }
}

/** Who sees a change sees it for ever: a follower never reads what a crash can take back. */
function checkSeen(log: ReplayedLog, ledger: Ledger, report: Report): void {
  for (const [revision, digest] of ledger.seen) {
    const entry = log.byRevision.get(revision);
    if (entry === undefined && revision > log.compacted) {
      report(`P1: a follower saw revision ${revision}, which is gone; head ${log.head}`);
    } else if (entry !== undefined && entry.digest !== digest) {
      report(`P3: a follower saw other bytes at revision ${revision}`);
    }
  }
}

/** A call that began after another was answered has the larger revision: one order for all. */
function checkRealTime(ledger: Ledger, report: Report): void {
  const spans = [...ledger.calls.values()].flatMap(({ id, beginUs, outcome }) => {
    if (outcome.kind !== "answered") return [];
    const revisions = outcome.answers.flatMap((answer) =>
      answer.kind === "committed" ? [answer.revision] : [],
    );
    if (revisions.length === 0) return [];
    const least = Math.min(...revisions);
    return [{ id, beginUs, endUs: outcome.atUs, least, most: Math.max(...revisions) }];
  });
  const byEnd = [...spans].sort((a, b) => a.endUs - b.endUs);
  let ended = 0;
  let newest = { id: "", most: 0 };
  for (const span of spans.sort((a, b) => a.beginUs - b.beginUs)) {
    for (let next = byEnd[ended]; next !== undefined && next.endUs < span.beginUs;) {
      if (next.most > newest.most) newest = next;
      next = byEnd[++ended];
    }
    if (span.least < newest.most) {
      report(`P3: ${span.id} got ${span.least} after ${newest.id} was answered ${newest.most}`);
    }
  }
}
