/** What the writer reports of a batch, as the port has it: answers, and changes for the log. */
import { assert } from "../../kernel/assert.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Answer, Change, Write } from "../port.ts";
import type { PreparedGroup, PreparedWrite } from "../prepare.ts";
import { unpackResult } from "./batch.ts";
import type { BatchResult, WriteResult } from "./batch.ts";
import type { OpenBody } from "./reader.ts";
import { bufferOf } from "./sql.ts";

export function answerOf(result: WriteResult): Answer {
  if (result.kind !== "refused") return { kind: result.kind, revision: result.revision };
  const { code, message, details } = result;
  return { kind: "refused", error: new SetpointError(code, message, { details }) };
}

/** The changes of a batch in the order of their revisions, with the texts of their keys. */
export function changesOf(
  groups: readonly PreparedGroup[],
  { atMs, results }: BatchResult,
  open: OpenBody,
): { readonly changes: readonly Change[]; readonly ids: readonly string[] } {
  const changes: Change[] = [];
  const ids: string[] = [];
  for (let index = 0; index < groups.length; index += 1) {
    const writes = groups[index]?.writes ?? [];
    for (let place = 0; place < writes.length; place += 1) {
      const [prepared, result] = [writes[place], results[index]?.[place]];
      if (prepared === undefined || result?.kind !== "committed") continue;
      changes.push(changeOf(prepared, result, atMs, open));
      ids.push(prepared.id);
    }
  }
  return { changes, ids };
}

function changeOf(
  prepared: PreparedWrite,
  result: Extract<WriteResult, { kind: "committed" }>,
  atMs: number,
  open: OpenBody,
): Change {
  const { revision, type, previous, previousTerms } = result;
  const { write } = prepared;
  const { key } = write;
  const uid = write.kind === "put" ? write.uid : result.uid;
  assert(uid !== undefined, "a deletion tells the uid of what it deleted");
  const terms = result.terms === undefined ? prepared.terms : parsed(result.terms);
  return {
    revision,
    type,
    key,
    uid,
    previous: previous ?? undefined,
    atMs,
    body: bodyOf(write, () => {
      const { document, sealed } = result;
      assert(document !== null, "a deletion without a last state shows the stored one");
      return open({ key, uid }, bufferOf(document), sealed === null ? null : bufferOf(sealed));
    }),
    terms,
    ...(write.kind !== "schedule" && { cause: write.cause }),
    ...(previousTerms === undefined ? {} : { previousTerms: parsed(previousTerms) }),
  };
}

/** A copy, because the caller's buffer is the caller's again after the answer. */
function bodyOf(write: Write, stored: () => Buffer): Buffer {
  if (write.kind === "put") return Buffer.from(write.draft.body);
  if (write.kind === "delete" && write.last !== undefined) return Buffer.from(write.last.body);
  return stored();
}

function parsed(terms: string): readonly string[] {
  return JSON.parse(terms) as readonly string[];
}

/**
 * Whether a batch may make something due sooner. What is settled may do so as well, if it was woken
 * during its claim, but that is for the writer to tell.
 */
export function isSooner(groups: readonly PreparedGroup[]): boolean {
  return groups.some(({ writes }) =>
    writes.some(({ write }) => write.kind !== "delete" && write.due?.afterMs !== undefined),
  );
}

/** Answers that were committed with their batch and lost on the way; undefined if it was not. */
export function recoveredAnswers(
  kept: string,
  batch: number,
): readonly (readonly Answer[])[] | undefined {
  const start = `${batch} `;
  const line = kept.split("\n").find((text) => text.startsWith(start));
  if (line === undefined) return undefined;
  const { results } = unpackResult({ text: line.slice(start.length), bytes: new ArrayBuffer(0) });
  return results.map((group) => group.map(answerOf));
}
