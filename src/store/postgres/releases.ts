/**
 * A batch that only gives back claims, as the parameters of release_v3 where all of them are known
 * here (explained in the migration 0010_place.sql), else of release_v2 (0008_small.sql); and its
 * answer in the form of commit_v3's.
 *
 * Rows are locked in the order of their keys, as in commits, so that neither waits for the other in
 * a circle. A row that has moved, because its claim was renewed or its resource woken, is not at
 * its place, and release_v3 could only lock it after the others. So that is given no keys by which
 * to look for it: what it leaves is released by key, by a statement of its own that holds nothing.
 */
import { keyText } from "../../kernel/resource.ts";
import type { ClaimRef, Write } from "../port.ts";
import type { PreparedGroup } from "../prepare.ts";
import type { BatchAnswer } from "./answers.ts";
import { keyArrays } from "./batch.ts";
import { boolArray, int8Array, textArray } from "./binary-array.ts";
import type { HeldClaim, HeldClaims } from "./held-claims.ts";

/** A claim that is given back by a write of its own, to be looked at again at some time. */
export interface Release {
  readonly id: string;
  readonly claim: ClaimRef;
  readonly uid: string | undefined;
  readonly afterMs: number;
  readonly isReset: boolean;
  /** Its place among the writes of the batch. */
  readonly index: number;
}

/** How many parameters `releaseValues` and `heldValues` give. */
export const releaseValueCount = 7;

/** In the order of their locks; undefined when the batch does anything else. */
export function releasesIn(groups: readonly PreparedGroup[]): readonly Release[] | undefined {
  const releases: Release[] = [];
  for (const [index, { writes }] of groups.entries()) {
    const [only] = writes;
    if (only === undefined || writes.length > 1) return undefined;
    const release = releaseOf(only.write, only.id, index);
    if (release === undefined) return undefined;
    releases.push(release);
  }
  return releases.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The parameters of release_v2 after writer, batch and skew. */
export function releaseValues(releases: readonly Release[]): readonly unknown[] {
  return [
    ...keyArrays(releases.map(({ claim }) => claim.key)),
    int8Array(releases.map(({ claim }) => claim.token)),
    textArray(releases.map(({ uid }) => uid ?? null)),
    int8Array(releases.map(({ afterMs }) => afterMs)),
    boolArray(releases.map(({ isReset }) => isReset)),
  ];
}

/** Of each in its order; undefined unless all are known. */
export function heldOf(
  releases: readonly Release[],
  known: HeldClaims,
): readonly HeldClaim[] | undefined {
  const all: HeldClaim[] = [];
  for (const { claim, uid } of releases) {
    const held = known.of(claim, uid);
    if (held === undefined) return undefined;
    all.push(held);
  }
  return all;
}

/** The parameters of release_v3 after writer, batch and skew. */
export function heldValues(
  releases: readonly Release[],
  held: readonly HeldClaim[],
): readonly unknown[] {
  return [
    ...keyArrays([]),
    int8Array(releases.map(({ claim }) => claim.token)),
    textArray(held.map(({ at }) => at)),
    int8Array(releases.map(({ afterMs }) => afterMs)),
    boolArray(releases.map(({ isReset }) => isReset)),
  ];
}

/** What release_v3 did not find at its place. */
export function leftOf(releases: readonly Release[], text: string): readonly Release[] {
  const { lost: left } = JSON.parse(text) as HeldAnswer;
  return left.flatMap((place) => releases[place - 1] ?? []);
}

/**
 * A release changes nothing that has a revision: what is told is the one that was claimed. `left`
 * is what was said of those that were not at their place.
 */
export function heldAnswer(
  releases: readonly Release[],
  held: readonly HeldClaim[],
  text: string,
  left: BatchAnswer | undefined,
): BatchAnswer {
  const { head, work, lost: places } = JSON.parse(text) as HeldAnswer;
  const codes: number[] = releases.map(() => unchanged);
  const stored: (number | null)[] = releases.map(() => null);
  for (const [at, { index }] of releases.entries()) stored[index] = held[at]?.revision ?? null;
  for (const [at, place] of places.entries()) {
    const release = releases[place - 1];
    if (release === undefined) continue;
    codes[release.index] = left?.c[at] ?? lost;
    stored[release.index] = left?.p[at] ?? null;
  }
  const isWork = work || left?.work === true;
  const newest = Math.max(head, left?.head ?? 0);
  return { head: newest, at: 0, work: isWork, c: codes, r: [], p: stored, t: null, why: {} };
}

interface HeldAnswer {
  readonly head: number;
  readonly work: boolean;
  /** Which ones, from 1. */
  readonly lost: readonly number[];
}

interface ReleaseAnswer {
  readonly head: number;
  readonly work: boolean;
  /** Which ones, from 1, and the revision of each. */
  readonly places: readonly number[];
  readonly revisions: readonly number[];
  /** Of which ones the claim is live, but the uid another. */
  readonly conflicts: readonly number[];
}

export function releaseAnswer(releases: readonly Release[], text: string): BatchAnswer {
  const { head, work, places, revisions, conflicts } = JSON.parse(text) as ReleaseAnswer;
  const codes: number[] = releases.map(() => lost);
  const stored: (number | null)[] = releases.map(() => null);
  for (const place of conflicts) {
    const release = releases[place - 1];
    if (release !== undefined) codes[release.index] = conflict;
  }
  for (const [at, place] of places.entries()) {
    const release = releases[place - 1];
    if (release === undefined) continue;
    codes[release.index] = unchanged;
    stored[release.index] = revisions[at] ?? null;
  }
  return { head, at: 0, work, c: codes, r: [], p: stored, t: null, why: {} };
}

const unchanged = 1;
const conflict = 12;
const lost = 14;

function releaseOf(write: Write, id: string, index: number): Release | undefined {
  if (write.kind !== "schedule") return undefined;
  const { claim, due, when } = write;
  if (claim === undefined || when.kind !== "exists") return undefined;
  if (due.kind !== "release" || due.afterMs === undefined) return undefined;
  if (claim.key !== write.key && keyText(claim.key) !== id) return undefined;
  const isReset = due.attempts === "reset";
  return { id, claim, uid: when.uid, afterMs: due.afterMs, isReset, index };
}
