// Judges a campaign of effects-campaign.ts from three sides that know nothing of each other: what
// clients were promised, what the outside was asked to do, and what the store has in its log.
import type { Call } from "./effects-recorder.ts";

/** What clients asked for last and were answered. */
export interface Wish {
  readonly name: string;
  readonly value: number;
  readonly isDeleted: boolean;
}

/** A resource at the end, as a server shows it. */
export interface Shown {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly value: number;
  readonly observedGeneration: number | undefined;
  readonly ready: string | undefined;
  readonly synced: string | undefined;
  /** What its reconciler wrote. */
  readonly applied: Applied | undefined;
}

/** What a reconciler writes into the status once its effect is done. */
export interface Applied {
  readonly generation: number;
  readonly value: number;
  readonly token: number;
}

/** One change in the log that shows a status. */
export interface Logged {
  readonly uid: string;
  readonly revision: number;
  readonly applied: Applied;
}

export interface Evidence {
  readonly wishes: readonly Wish[];
  readonly shown: readonly Shown[];
  /** In the order in which they came. */
  readonly calls: readonly Call[];
  readonly log: readonly Logged[];
  /** Of all resources that ever were, by uid. */
  readonly names: ReadonlyMap<string, string>;
}

/** Sentences about what is wrong; none when all promises were kept. */
export function judgeEffects(evidence: Evidence): readonly string[] {
  return [
    ...everyWishIsShown(evidence),
    ...evidence.shown.flatMap(unsettled),
    ...evidence.shown.flatMap((shown) => unlikeOutside(shown, evidence.calls)),
    ...everyRemovalHappened(evidence),
    ...staleEffects(evidence.calls),
    ...effectsAfterRemoval(evidence.calls),
    ...staleWrites(evidence.log),
  ];
}

/** Which resources are not yet what they will be once all is done. */
export function unsettled(shown: Shown): readonly string[] {
  const { name, generation, observedGeneration, ready, synced } = shown;
  const isSettled = observedGeneration === generation && ready === "True" && synced === "True";
  if (isSettled) return [];
  const state = `Ready ${ready}, Synced ${synced}`;
  return [`${name} has not converged: ${observedGeneration} of ${generation}, ${state}`];
}

function everyWishIsShown({ wishes, shown }: Evidence): readonly string[] {
  const byName = new Map(shown.map((one) => [one.name, one]));
  const findings: string[] = [];
  for (const { name, value, isDeleted } of wishes) {
    const found = byName.get(name);
    byName.delete(name);
    if (isDeleted && found !== undefined) findings.push(`${name} was deleted and is still there`);
    if (isDeleted) continue;
    if (found === undefined) findings.push(`${name} was made and is not there`);
    else if (found.value !== value) findings.push(`${name} has ${found.value}, wished ${value}`);
  }
  return [...findings, ...[...byName.keys()].map((name) => `${name} was never asked for`)];
}

/** The last generation was applied outside, and the status tells what the outside knows. */
function unlikeOutside(shown: Shown, calls: readonly Call[]): readonly string[] {
  const { name, uid, generation, value, applied } = shown;
  const own = callsOf(calls, uid);
  const last = own.findLast(({ action, verdict }) => action === "apply" && verdict === "accepted");
  if (last === undefined) return [`${name} was never applied`];
  const findings: string[] = [];
  if (last.generation !== generation || last.value !== value) {
    findings.push(`${name} is at ${generation} = ${value}, applied was ${textOf(last)}`);
  }
  const highest = Math.max(...own.map(({ token }) => token));
  if (applied?.generation !== generation || applied.value !== value || applied.token !== highest) {
    const told = applied === undefined ? "nothing" : textOf(applied);
    findings.push(`${name} tells of ${told}, outside is ${textOf({ ...last, token: highest })}`);
  }
  return findings;
}

function everyRemovalHappened({ shown, calls, names }: Evidence): readonly string[] {
  const present = new Set(shown.map(({ uid }) => uid));
  const touched = new Set(calls.filter(({ action }) => action !== "remove").map(({ uid }) => uid));
  const removed = new Set(calls.filter(isRemoval).map(({ uid }) => uid));
  const findings: string[] = [];
  for (const [uid, name] of names) {
    // What never did anything outside has nothing to take back.
    if (present.has(uid) || !touched.has(uid) || removed.has(uid)) continue;
    findings.push(`${name} is gone and still there outside`);
  }
  for (const uid of present) {
    if (removed.has(uid)) findings.push(`${names.get(uid)} is there and was removed outside`);
  }
  return findings;
}

/** By the order of acceptance, so it does not rest on the recorder's own refusals. */
function staleEffects(calls: readonly Call[]): readonly string[] {
  const highest = new Map<string, Call>();
  const findings: string[] = [];
  for (const call of calls) {
    if (call.verdict === "stale") continue;
    const before = highest.get(call.uid);
    if (before !== undefined && call.token < before.token) {
      findings.push(`${call.uid}: ${textOf(call)} was accepted after ${textOf(before)}`);
    }
    if (before !== undefined && call.generation < before.generation) {
      findings.push(`${call.uid}: ${textOf(call)} is older than ${textOf(before)} before it`);
    }
    highest.set(call.uid, call);
  }
  return findings;
}

function effectsAfterRemoval(calls: readonly Call[]): readonly string[] {
  const removed = new Set<string>();
  const findings: string[] = [];
  for (const call of calls) {
    if (isRemoval(call)) removed.add(call.uid);
    else if (call.verdict === "accepted" && removed.has(call.uid)) {
      findings.push(`${call.uid}: ${textOf(call)} came after its removal`);
    }
  }
  return findings;
}

/** No status in the log is by a holder whose successor had written already. */
function staleWrites(log: readonly Logged[]): readonly string[] {
  const highest = new Map<string, number>();
  const findings: string[] = [];
  for (const { uid, revision, applied } of log) {
    const before = highest.get(uid) ?? 0;
    if (applied.token < before) {
      findings.push(`revision ${revision} of ${uid}: token ${applied.token} after ${before}`);
    }
    highest.set(uid, Math.max(before, applied.token));
  }
  return findings;
}

function callsOf(calls: readonly Call[], uid: string): readonly Call[] {
  return calls.filter((call) => call.uid === uid && call.verdict !== "stale");
}

function isRemoval({ action, verdict }: Call): boolean {
  return action === "remove" && verdict !== "stale";
}

function textOf({ generation, value, token }: Applied): string {
  return `${generation} = ${value} by token ${token}`;
}
