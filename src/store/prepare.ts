/**
 * What happens to a write before it queues, on the caller's time: it is checked for form (a bad one
 * rejects the whole call and changes nothing), its secrets are sealed, its digest is taken and its
 * size is known, so that the queue can be bounded in bytes. Nothing here looks at stored state.
 */
import { isUtf8 } from "node:buffer";
import type { Draft } from "../kernel/draft.ts";
import { SetpointError } from "../kernel/errors.ts";
import { limits } from "../kernel/limits.ts";
import { keyText } from "../kernel/resource.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import { textFault } from "../kernel/storable-text.ts";
import { checkCommit, isCount, textLimits } from "./arguments.ts";
import { causeFault } from "../kernel/cause.ts";
import { encodeCause } from "./stored-cause.ts";
import type { KeyRing } from "./key-ring.ts";
import type { CommitOptions, DueChange, Precondition, Put, Write } from "./port.ts";
import { sealDocument } from "./seal.ts";
import { checkForm, invalidWrite as invalid } from "./write-form.ts";

export interface PreparedWrite {
  readonly write: Write;
  /** keyText of the written key. */
  readonly id: string;
  /** The document to store (secrets blanked), its envelope and its digest; null: no document. */
  readonly document: Buffer | null;
  readonly sealed: Buffer | null;
  readonly digest: Buffer | null;
  readonly terms: readonly string[];
  /** The encoded cause; null for a write that makes no change. */
  readonly cause: Buffer | null;
  readonly bytes: number;
}

/** Writes that are committed together or not at all; one write is a group of one. */
export interface PreparedGroup {
  readonly writes: readonly PreparedWrite[];
  readonly bytes: number;
}

const overheadBytes = 256;
/** A quota of limits.maxQuotaResources holds two counters for each of them. */
const maxHeldItems = 2 * limits.maxQuotaResources + 64;
const maxDelayMs = 10 * 365 * 24 * 3_600_000;

export function prepareCommit(
  ring: KeyRing,
  writes: readonly Write[],
  options: CommitOptions = {},
): readonly PreparedGroup[] {
  checkCommit(writes, options);
  const most = options.atomic === true ? limits.maxGroupWrites : limits.maxQueuedWrites;
  if (writes.length > most) {
    throw new SetpointError("request.too_large", `a commit can have at most ${most} writes`, {
      details: { writes: writes.length, most },
    });
  }
  const [only] = writes;
  if (only !== undefined && writes.length === 1) {
    // By far the most common call, and the path of every status write.
    checkForm(only, 0);
    checkWrite(only, 0);
    const prepared = prepareWrite(ring, only, keyText(only.key));
    return [{ writes: [prepared], bytes: prepared.bytes }];
  }
  for (const [index, write] of writes.entries()) checkForm(write, index);
  checkBytes(writes, options.atomic === true ? limits.maxGroupBytes : limits.maxCallBytes);
  const seen = new Set<string>();
  const prepared = writes.map((write, index) => {
    checkWrite(write, index);
    const id = keyText(write.key);
    if (seen.has(id)) throw invalid(index, "key", `${id} is written twice in one commit`);
    seen.add(id);
    return prepareWrite(ring, write, id);
  });
  if (prepared.length === 0) return [];
  if (options.atomic !== true) {
    return prepared.map((write) => ({ writes: [write], bytes: write.bytes }));
  }
  return [{ writes: prepared, bytes: prepared.reduce((sum, write) => sum + write.bytes, 0) }];
}

/** Before anything is sealed or hashed: what is too large should cost nothing. */
function checkBytes(writes: readonly Write[], most: number): void {
  const bytes = writes.reduce((sum, write) => sum + bytesToStore(write), 0);
  if (bytes <= most) return;
  throw new SetpointError("request.too_large", `a commit can have at most ${most} bytes`, {
    details: { bytes, most },
    suggestion: "split it into several commits",
  });
}

/** A document with secrets is stored twice: blanked, and sealed. */
function bytesToStore(write: Write): number {
  const draft = draftOf(write);
  if (draft === undefined) return overheadBytes;
  return draft.body.length * (draft.secrets.length > 0 ? 2 : 1) + overheadBytes;
}

function draftOf(write: Write): Draft | undefined {
  if (write.kind === "put") return write.draft;
  return write.kind === "delete" ? write.last : undefined;
}

function prepareWrite(ring: KeyRing, write: Write, id: string): PreparedWrite {
  const draft = draftOf(write);
  const cause = write.kind === "schedule" ? null : encodeCause(write.cause);
  if (draft === undefined) {
    return {
      write,
      id,
      document: null,
      sealed: null,
      digest: null,
      terms: [],
      cause,
      bytes: overheadBytes,
    };
  }
  const uid = write.kind === "put" ? write.uid : lastUid(write.when);
  const stored = sealDocument(ring, { key: write.key, uid }, draft);
  const { document, sealed, digest } = stored;
  const bytes = document.length + (sealed?.length ?? 0) + overheadBytes;
  return { write, id, document, sealed, digest, terms: draft.terms, cause, bytes };
}

/** A deletion that carries secrets seals them under an identity, so it has to name the uid. */
function lastUid(when: Precondition): string {
  return when.kind === "absent" ? "" : (when.uid ?? "");
}

function checkWrite(write: Write, index: number): void {
  checkKey(write.key, index, "key");
  if (write.when.kind === "absent" && write.kind !== "put") {
    throw invalid(index, "when", `a ${write.kind} cannot ask for an absent resource`);
  }
  if (write.when.kind === "revision") checkCount(write.when.revision, index, "when.revision");
  if (write.when.kind !== "absent" && write.when.uid !== undefined) {
    checkText(write.when.uid, index, "when.uid", textLimits.keyPartBytes);
  }
  if (write.claim !== undefined) {
    if (write.claim.key !== write.key) checkKey(write.claim.key, index, "claim.key");
    checkCount(write.claim.token, index, "claim.token");
  }
  if (write.kind !== "delete" && write.due !== undefined) checkDue(write, write.due, index);
  if (write.kind !== "schedule") {
    const fault = causeFault(write.cause);
    if (fault !== undefined) throw invalid(index, `cause.${fault[0]}`, fault[1]);
  }
  if (write.kind === "put") checkPut(write, index);
  if (write.kind === "delete" && write.last !== undefined) checkLast(write, index);
}

function checkPut(put: Put, index: number): void {
  checkText(put.uid, index, "uid", textLimits.keyPartBytes);
  checkDraft(put.draft, index, "draft");
  checkHeld(put.names, index, "names", ({ scope, name, home }) => {
    const most = textLimits.uniqueNameBytes;
    if (home !== undefined) checkKey(home, index, "names.home");
    checkText(scope, index, "names.scope", most);
    checkText(name, index, "names.name", most);
    if (Buffer.byteLength(scope) + Buffer.byteLength(name) > most) {
      throw invalid(index, "names", `scope and name are longer than ${most} bytes together`);
    }
    return JSON.stringify([scope, name]);
  });
  checkHeld(put.uses, index, "uses", ({ counter, amount }) => {
    checkText(counter, index, "uses.counter", textLimits.counterBytes);
    checkCount(amount, index, "uses.amount");
    if (amount > limits.maxCounterAmount) {
      throw invalid(index, "uses.amount", `more than ${limits.maxCounterAmount}`);
    }
    return counter;
  });
  checkHeld(put.bounds, index, "bounds", ({ counter, max }) => {
    checkText(counter, index, "bounds.counter", textLimits.counterBytes);
    checkCount(max, index, "bounds.max");
    return counter;
  });
}

function checkLast(write: Extract<Write, { kind: "delete" }>, index: number): void {
  const last = write.last;
  if (last === undefined) return;
  checkDraft(last, index, "last");
  if (last.secrets.length > 0 && lastUid(write.when) === "") {
    throw invalid(index, "when", "a deletion whose last state has secrets must name the uid");
  }
}

function checkDraft(draft: Draft, index: number, field: string): void {
  if (draft.body.length > limits.maxDocumentBytes) {
    throw new SetpointError(
      "request.too_large",
      `the document has ${draft.body.length} bytes; the limit is ${limits.maxDocumentBytes}`,
      { details: { write: index, bytes: draft.body.length, most: limits.maxDocumentBytes } },
    );
  }
  if (!isUtf8(draft.body) || draft.body.includes(0)) {
    throw invalid(index, `${field}.body`, "is not UTF-8 text, or contains NUL");
  }
  if (draft.terms.length > limits.maxTerms) {
    throw invalid(index, `${field}.terms`, `more than ${limits.maxTerms} index terms`);
  }
  for (const term of draft.terms) checkText(term, index, `${field}.terms`, textLimits.termBytes);
}

function checkDue(write: Write, due: DueChange, index: number): void {
  if (due.afterMs !== undefined) {
    checkCount(due.afterMs, index, "due.afterMs");
    if (due.afterMs > maxDelayMs) throw invalid(index, "due.afterMs", "more than ten years");
  }
  if (due.kind !== "release") return;
  const claimed = write.claim?.key;
  if (claimed === write.key) return;
  if (claimed === undefined || keyText(claimed) !== keyText(write.key)) {
    throw invalid(index, "due", "a release must name the claim on the written resource itself");
  }
}

function checkHeld<T>(
  list: readonly T[] | undefined,
  index: number,
  field: string,
  identify: (item: T) => string,
): void {
  if (list === undefined) return;
  if (list.length > maxHeldItems) throw invalid(index, field, `more than ${maxHeldItems} items`);
  if (new Set(list.map(identify)).size !== list.length) throw invalid(index, field, "a duplicate");
}

function checkKey(key: ResourceKey, index: number, field: string): void {
  checkPart(key, "kind", index, field);
  checkPart(key, "name", index, field);
  if (key.namespace !== "") checkPart(key, "namespace", index, field);
}

/** The name of the field is put together only for who gives a wrong one. */
function checkPart(key: ResourceKey, part: keyof ResourceKey, index: number, field: string): void {
  const fault = textFault(key[part], textLimits.keyPartBytes);
  if (fault !== undefined) throw invalid(index, `${field}.${part}`, fault);
}

function checkText(text: string, index: number, field: string, maxBytes: number): void {
  const fault = textFault(text, maxBytes);
  if (fault !== undefined) throw invalid(index, field, fault);
}

function checkCount(value: number, index: number, field: string): void {
  if (!isCount(value)) throw invalid(index, field, "must be a non-negative integer");
}
