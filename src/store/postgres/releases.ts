/**
 * A batch that only gives back claims, as the parameters of release_v3 where all of them are known
 * here (explained in the migration 0010_place.sql), else of release_v2 (0008_small.sql); and its
 * answer in the form of commit_v3's.
 */
import { keyText } from "../../kernel/resource.ts";
import type { ClaimRef, Write } from "../port.ts";
import type { PreparedGroup } from "../prepare.ts";
import type { BatchAnswer } from "./answers.ts";
import { keyArrays } from "./batch.ts";
import { boolArray, int8Array, textArray } from "./binary-array.ts";
import type { HeldClaim, HeldClaims } from "./held-claims.ts";

/** A claim that is given back by a write of its own, to be looked at again at some time. */
interface Release {
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
    const held = known.of(claim.token, uid);
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
    ...keyArrays(releases.map(({ claim }) => claim.key)),
    int8Array(releases.map(({ claim }) => claim.token)),
    textArray(held.map(({ at }) => at)),
    int8Array(releases.map(({ afterMs }) => afterMs)),
    boolArray(releases.map(({ isReset }) => isReset)),
  ];
}

/** A release changes nothing that has a revision: what is told is the one that was claimed. */
export function heldAnswer(
  releases: readonly Release[],
  held: readonly HeldClaim[],
  text: string,
): BatchAnswer {
  const { head, work, lost: gone } = JSON.parse(text) as HeldAnswer;
  const codes: number[] = releases.map(() => unchanged);
  const stored: (number | null)[] = releases.map(() => null);
  for (const [at, { index }] of releases.entries()) stored[index] = held[at]?.revision ?? null;
  for (const place of gone) {
    const release = releases[place - 1];
    if (release !== undefined) codes[release.index] = lost;
  }
  return { head, at: 0, work, c: codes, r: [], p: stored, t: null, why: {} };
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
