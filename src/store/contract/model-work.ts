/**
 * Claims in the model. While a resource is claimed its due time is the end of the lease: a holder
 * that dies makes the resource due again by doing nothing, and "due" has one meaning throughout.
 */
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { readLimits } from "../arguments.ts";
import type { Claim, ClaimRef, ClaimRequest, Renewal } from "../port.ts";
import type { Backlog, BacklogQuery, WorkState } from "../work-state.ts";
import { isLiveClaim } from "./model-commit.ts";
import { compareCodePoints } from "./model-state.ts";
import type { Live, ModelState, Work } from "./model-state.ts";

/** What a claim call may give at this moment: due, of these kinds, in no skipped namespace. */
export function claimable(
  state: ModelState,
  request: Pick<ClaimRequest, "kinds" | "skipNamespaces">,
  nowMs: number,
): readonly Live[] {
  const skipped = new Set(request.skipNamespaces);
  return [...state.live.values()].filter(({ key, work }) => {
    if (!request.kinds.includes(key.kind) || skipped.has(key.namespace)) return false;
    return work.dueAtMs !== undefined && work.dueAtMs <= nowMs;
  });
}

/** Namespaces take turns, the one that waits longest first; inside one, the oldest first. */
export function chooseFairly(candidates: readonly Live[], request: ClaimRequest): readonly Live[] {
  const ordered = candidates.toSorted(
    (a, b) =>
      (a.work.dueAtMs ?? 0) - (b.work.dueAtMs ?? 0) ||
      compareCodePoints(keyText(a.key), keyText(b.key)),
  );
  const queues = Map.groupBy(ordered, ({ key }) => key.namespace);
  const chosen: Live[] = [];
  const rounds = request.perNamespace ?? ordered.length;
  for (let round = 0; round < rounds; round += 1) {
    for (const queue of queues.values()) {
      const next = queue[round];
      if (next !== undefined && chosen.length < request.limit) chosen.push(next);
    }
  }
  return chosen;
}

export function grant(
  state: ModelState,
  live: Live,
  token: number,
  nowMs: number,
  { owner, leaseMs }: Pick<ClaimRequest, "owner" | "leaseMs">,
): Claim {
  const { key, entry, work } = live;
  const dueAtMs = work.dueAtMs ?? nowMs;
  const expiresAtMs = nowMs + leaseMs;
  state.lastToken = Math.max(state.lastToken, token);
  work.claim = { owner, token, expiresAtMs };
  work.dueAtMs = expiresAtMs;
  // The claim begins after every wake so far, so its holder sees what they were about.
  work.wishAtMs = undefined;
  work.attempts += 1;
  const { uid, revision, body } = entry;
  return { key, token, uid, revision, expiresAtMs, dueAtMs, attempts: work.attempts, body };
}

export function renewClaims(
  state: ModelState,
  claims: readonly ClaimRef[],
  nowMs: number,
  leaseMs: number,
): Renewal {
  const renewed: (ClaimRef & { expiresAtMs: number })[] = [];
  const lost: ClaimRef[] = [];
  const expiresAtMs = nowMs + leaseMs;
  for (const { key, token } of claims) {
    const work = state.live.get(keyText(key))?.work;
    if (work === undefined || !isLiveClaim(state, { key, token }, nowMs)) {
      lost.push({ key, token });
      continue;
    }
    work.claim = { owner: work.claim?.owner ?? "", token, expiresAtMs };
    work.dueAtMs = expiresAtMs;
    renewed.push({ key, token, expiresAtMs });
  }
  return { renewed, lost };
}

export function untilNextDue(
  state: ModelState,
  kinds: readonly string[],
  nowMs: number,
): number | undefined {
  let nextMs: number | undefined;
  for (const { key, work } of state.live.values()) {
    if (work.dueAtMs === undefined || !kinds.includes(key.kind)) continue;
    const waitMs = Math.max(0, work.dueAtMs - nowMs);
    nextMs = nextMs === undefined ? waitMs : Math.min(nextMs, waitMs);
  }
  return nextMs;
}

export function workOf(state: ModelState, key: ResourceKey, nowMs: number): WorkState | undefined {
  const work = state.live.get(keyText(key))?.work;
  if (work === undefined || (work.dueAtMs === undefined && work.attempts === 0)) return undefined;
  return stateOf(work, nowMs);
}

export function backlogOf(
  state: ModelState,
  { kind, namespace, limit }: BacklogQuery & { readonly limit: number },
  nowMs: number,
): Backlog {
  const planned = [...state.live.values()].filter(({ key, work }) => {
    const isOfPlace = namespace === undefined || key.namespace === namespace;
    return key.kind === kind && isOfPlace && work.dueAtMs !== undefined;
  });
  const due = planned.filter(({ work }) => (work.dueAtMs ?? Infinity) <= nowMs).length;
  const next = planned
    .toSorted((a, b) => (a.work.dueAtMs ?? 0) - (b.work.dueAtMs ?? 0))
    .slice(0, limit)
    .map(({ key, work }) => ({ key, work: stateOf(work, nowMs) }));
  return { due: Math.min(due, readLimits.countedDue), next };
}

function stateOf({ dueAtMs, wishAtMs, claim, attempts }: Work, nowMs: number): WorkState {
  const inMs = (atMs: number | undefined): number | undefined =>
    atMs === undefined ? undefined : atMs - nowMs;
  if (claim === undefined || claim.expiresAtMs <= nowMs) {
    return { dueInMs: inMs(dueAtMs), attempts, claim: undefined };
  }
  const { owner, token, expiresAtMs } = claim;
  const live = { owner, token, expiresInMs: expiresAtMs - nowMs };
  return { dueInMs: inMs(wishAtMs), attempts, claim: live };
}
