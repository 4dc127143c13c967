// Claims after a crash: no two were live at once, the claims of the dead end by themselves, nothing
// that wants work is forgotten, and an old token opens nothing. Leases are short (leaseMs), so
// waiting for them to end is waiting for less than a second.
import { keyText } from "../../src/kernel/resource.ts";
import type { Claim, ClaimRef, Store } from "../../src/store/port.ts";
import { waitUntil } from "../peers/wait.ts";
import type { Report } from "./check.ts";
import { chaosDraft, kinds, leaseMs, maxRestMs } from "./documents.ts";
import type { Ledger, LedgerClaim } from "./ledger.ts";
import type { Entry, ReplayedLog } from "./replay.ts";
import { systemCause } from "../../src/kernel/cause.ts";

const slackMs = 60_000;
let checks = 0;

export async function checkClaims(
  store: Store,
  log: ReplayedLog,
  ledger: Ledger,
  report: Report,
): Promise<void> {
  checkExclusive(ledger, report);
  const works = [...log.state.values()].filter((entry) => entry.change.key.kind === kinds.works);
  const held = await claimAll(store, works, report);
  await checkOldTokens(store, ledger, works, report);
  await releaseAll(store, held, report);
}

/** Of two claims on a key the later began after the earlier was released, ended or deleted. */
function checkExclusive(ledger: Ledger, report: Report): void {
  const released = releasedTokens(ledger);
  const byKey = Map.groupBy(ledger.claims, (claim) => claim.key);
  for (const [key, claims] of byKey) {
    const ordered = claims.sort((a, b) => a.token - b.token);
    for (const [index, later] of ordered.entries()) {
      const earlier = ordered[index - 1];
      if (earlier === undefined) continue;
      if (earlier.token === later.token) report(`P5: token ${later.token} of ${key} given twice`);
      const grantedAtMs = later.expiresAtMs - later.leaseMs;
      // One millisecond of rounding: databases keep finer time than the port tells.
      const hasEnded = grantedAtMs + 1 >= earlier.expiresAtMs;
      const isGone = earlier.uid !== later.uid;
      if (hasEnded || isGone || released.has(earlier.token)) continue;
      report(`P5: ${key} was claimed by ${later.token} while ${earlier.token} was live`);
    }
  }
  checkFencedWrites(ledger, byKey, report);
}

/** Whatever may have ended the claim: an unanswered release counts, a refused one does not. */
function releasedTokens(ledger: Ledger): ReadonlySet<number> {
  const tokens = new Set<number>();
  for (const { writes, outcome } of ledger.calls.values()) {
    if (outcome.kind === "failed") continue;
    for (const [index, { token, releases, write }] of writes.entries()) {
      if (token === undefined || (releases !== true && write !== "delete")) continue;
      const isRefused = outcome.kind === "answered" && outcome.answers[index]?.kind === "refused";
      if (!isRefused) tokens.add(token);
    }
  }
  return tokens;
}

/** A write that began after its lease had ended, or a newer token was out, must be refused. */
function checkFencedWrites(
  ledger: Ledger,
  byKey: ReadonlyMap<string, readonly LedgerClaim[]>,
  report: Report,
): void {
  for (const { id, writes, outcome, beginUs, wallMs } of ledger.calls.values()) {
    if (outcome.kind !== "answered") continue;
    for (const [index, { key, token }] of writes.entries()) {
      if (token === undefined || outcome.answers[index]?.kind === "refused") continue;
      const endMs = ledger.leaseEnds.get(token) ?? Infinity;
      if (wallMs > endMs) report(`P5: ${id} wrote ${key} under ${token}, which ended at ${endMs}`);
      const newer = byKey.get(key)?.find((claim) => claim.token > token && claim.atUs < beginUs);
      if (newer === undefined) continue;
      report(`P5: ${id} wrote ${key} under ${token} after ${newer.token} was handed out`);
    }
  }
}

/** Every work asks for a next turn, so each must become claimable once the dead leases end. */
async function claimAll(
  store: Store,
  works: readonly Entry[],
  report: Report,
): Promise<readonly Claim[]> {
  const missing = new Set(works.map((entry) => entry.key));
  const held: Claim[] = [];
  const request = { owner: "checker", kinds: [kinds.works], limit: 100, leaseMs: 600_000 };
  const takeSome = async (): Promise<boolean> => {
    for (const claim of await store.claim(request)) {
      if (!missing.delete(keyText(claim.key))) report(`P5: ${keyText(claim.key)} claimed twice`);
      held.push(claim);
    }
    return missing.size === 0;
  };
  const limitMs = leaseMs + maxRestMs + slackMs;
  await waitUntil("all work to be claimable", takeSome, { limitMs }).catch(() => {
    report(`P5: never due again: ${[...missing].join()}`);
  });
  return held;
}

async function checkOldTokens(
  store: Store,
  ledger: Ledger,
  works: readonly Entry[],
  report: Report,
): Promise<void> {
  const byKey = new Map(works.map((entry) => [entry.key, entry]));
  for (const old of ledger.claims.slice(-50)) {
    const entry = byKey.get(old.key);
    if (entry === undefined) continue;
    const { key, uid } = entry.change;
    const code = await refusalOf(store, { key, token: old.token }, uid);
    if (code !== "claim.lost") report(`P5: token ${old.token} of ${old.key} gave ${code}`);
  }
}

async function refusalOf(store: Store, claim: ClaimRef, uid: string): Promise<string> {
  const { key } = claim;
  const draft = chaosDraft(key, { uid, spec: { op: `checker.zombie.${claim.token}.${++checks}` } });
  const when = { kind: "exists" } as const;
  const [answer] = await store.commit([
    { kind: "put", cause: systemCause, key, uid, draft, when, claim },
  ]);
  return answer?.kind === "refused" ? answer.error.code : (answer?.kind ?? "no answer");
}

async function releaseAll(store: Store, held: readonly Claim[], report: Report): Promise<void> {
  const writes = held.map(({ key, token }) => {
    const due = { kind: "release", afterMs: 0, attempts: "reset" } as const;
    const when = { kind: "exists" } as const;
    return { kind: "schedule", key, when, claim: { key, token }, due } as const;
  });
  if (writes.length === 0) return;
  for (const answer of await store.commit(writes)) {
    if (answer.kind === "refused") report(`P5: a live claim was refused: ${answer.error.code}`);
  }
}
