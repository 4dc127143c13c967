/**
 * The answer of the database turned into the port's answers, and into the changes that followers of
 * the log are given without reading them back: the bytes are those the caller handed in.
 */
import assert from "node:assert/strict";
import type { Draft } from "../../kernel/draft.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { HeldFault } from "../../kernel/held-fault.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { formatReference } from "../../kernel/resource.ts";
import type { Answer, Change, Write } from "../port.ts";
import type { PreparedGroup, PreparedWrite } from "../prepare.ts";

export interface BatchAnswer {
  readonly head: number;
  readonly at: number;
  readonly work: boolean;
  readonly c: readonly number[];
  readonly r: readonly (number | null)[];
  readonly p: readonly (number | null)[];
  readonly t: readonly (readonly string[] | null)[] | null;
  /** Which name or counter refused a write, by its ordinal from 1. */
  readonly why: { readonly [ordinal: string]: { readonly why: HeldFault } };
}

export interface Outcome {
  /** Group by group. */
  readonly answers: readonly (readonly Answer[])[];
  /** In order; a deletion that shows the stored document is not among them. */
  readonly changes: readonly Change[];
  readonly head: number;
  readonly hasWork: boolean;
}

export function outcomeOf(groups: readonly PreparedGroup[], batch: BatchAnswer): Outcome {
  const changes: Change[] = [];
  let at = 0;
  const answers = groups.map((group) =>
    group.writes.map((prepared): Answer => {
      const index = at++;
      const answer = answerOf(prepared, batch, index);
      if (answer.kind === "committed") {
        const change = changeOf(prepared, batch, index, answer.revision);
        if (change !== undefined) changes.push(change);
      }
      return answer;
    }),
  );
  assert(at === batch.c.length, "every write has an answer");
  return { answers, changes, head: batch.head, hasWork: batch.work };
}

function answerOf(prepared: PreparedWrite, batch: BatchAnswer, index: number): Answer {
  const code = batch.c[index];
  const stored = batch.p[index] ?? undefined;
  if (code === 0) {
    const revision = batch.r[index];
    assert(typeof revision === "number", "a committed write has a revision");
    return { kind: "committed", revision };
  }
  if (code === 1) {
    assert(stored !== undefined, "an unchanged resource has a revision");
    return { kind: "unchanged", revision: stored };
  }
  const why = batch.why[index + 1]?.why;
  if (why !== undefined) return { kind: "refused", error: heldRefusal(why) };
  return { kind: "refused", error: refusal(prepared, code, stored) };
}

function heldRefusal(fault: HeldFault): SetpointError {
  const details = fault as unknown as JsonObject;
  if ("value" in fault) {
    const { counter, value, max } = fault;
    const message = `${counter} would be ${value}, above its limit of ${max}`;
    return new SetpointError("counter.exceeded", message, { details });
  }
  const by = fault.holder === null ? "another write of the group" : formatReference(fault.holder);
  const message =
    "scope" in fault
      ? `${fault.name} is taken in ${fault.scope} by ${by}`
      : `the limit of ${fault.counter} is set by ${by}`;
  return new SetpointError("name.taken", message, { details });
}

function refusal(
  prepared: PreparedWrite,
  code: number | undefined,
  stored: number | undefined,
): SetpointError {
  const { write } = prepared;
  const resource = formatReference(write.key);
  const details = { resource, ...(stored === undefined ? {} : { revision: stored }) };
  switch (code) {
    case 10:
      return new SetpointError("resource.already_exists", `${resource} already exists`, {
        details,
      });
    case 11:
      return new SetpointError("resource.not_found", `${resource} does not exist`, { details });
    case 12:
      return new SetpointError("resource.conflict", `${resource} has changed`, { details });
    case 14:
      return new SetpointError("claim.lost", `the claim for ${resource} has expired`, { details });
    case 20:
      return new SetpointError("resource.group_refused", "another write of the group is refused", {
        details,
      });
    case undefined:
    default:
      return new SetpointError("internal", `the database returned the error code ${code}`, {
        details,
      });
  }
}

function changeOf(
  { write, terms }: PreparedWrite,
  batch: BatchAnswer,
  index: number,
  revision: number,
): Change | undefined {
  const previous = batch.p[index] ?? undefined;
  const previousTerms = batch.t?.[index] ?? undefined;
  const shown = shownBy(write);
  if (shown === undefined) return undefined;
  return {
    revision,
    type: write.kind === "delete" ? "deleted" : previous === undefined ? "created" : "updated",
    key: write.key,
    uid: shown.uid,
    previous,
    atMs: batch.at,
    // A copy, because the caller's buffer is the caller's again after the answer.
    body: Buffer.from(shown.draft.body),
    ...(write.kind !== "schedule" && { cause: write.cause }),
    terms,
    ...(previousTerms === undefined ? {} : { previousTerms }),
  };
}

/** Whose state a write shows; of a deletion it is known when it says both. */
function shownBy(write: Write): { readonly uid: string; readonly draft: Draft } | undefined {
  if (write.kind === "put") return write;
  if (write.kind !== "delete" || write.when.kind === "absent") return undefined;
  const { uid } = write.when;
  return uid === undefined || write.last === undefined ? undefined : { uid, draft: write.last };
}
