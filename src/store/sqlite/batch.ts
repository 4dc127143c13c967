/**
 * A batch on its way to the writer's thread, and its answers on the way back. Structured clone of
 * many small objects costs more than the commit itself, so everything small travels as one JSON
 * text and all documents as one transferred buffer. The texts hold no lone surrogates (prepare.ts
 * refuses them), so JSON keeps them exactly.
 */
import type { ErrorCode } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isSameKey } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type {
  Change,
  ClaimRef,
  CounterBound,
  CounterUse,
  DueChange,
  Precondition,
  UniqueName,
} from "../port.ts";
import type { PreparedGroup, PreparedWrite } from "../prepare.ts";

/** What the writer needs of a write. `document` is null when the write brings none. */
export interface BatchWrite {
  readonly kind: "put" | "delete" | "schedule";
  readonly key: ResourceKey;
  readonly uid: string;
  readonly when: Precondition;
  readonly claim?: ClaimRef | undefined;
  readonly due?: DueChange | undefined;
  readonly names?: readonly BatchName[] | undefined;
  readonly uses?: readonly CounterUse[] | undefined;
  readonly bounds?: readonly CounterBound[] | undefined;
  /** A JSON array, as it is stored. */
  readonly terms: string;
  readonly document: Uint8Array | null;
  readonly sealed: Uint8Array | null;
  readonly digest: Uint8Array | null;
  readonly cause: Uint8Array | null;
}

export type BatchGroup = readonly BatchWrite[];

/** The home of a name that is taken there is the key of the write, and is not sent again. */
export interface BatchName extends UniqueName {
  readonly isHome?: true;
}

export interface Refusal {
  readonly kind: "refused";
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: JsonObject;
}

/** What became of a write, with what the recent log needs and only the writer knows. */
export type WriteResult =
  | {
      readonly kind: "committed";
      readonly revision: number;
      readonly type: Change["type"];
      readonly previous: number | null;
      /** Of the deleted resource; a put knows its own. */
      readonly uid: string | undefined;
      /** The replaced terms when they differ, as JSON text. */
      readonly previousTerms: string | undefined;
      /** The terms a deletion shows when it was not given any. */
      readonly terms: string | undefined;
      /** The document a deletion shows when it was not given one. */
      readonly document: Uint8Array | null;
      readonly sealed: Uint8Array | null;
    }
  | { readonly kind: "unchanged"; readonly revision: number }
  | Refusal;

export interface BatchResult {
  readonly atMs: number;
  /** Something that was settled is due again, because it was woken during its claim. */
  readonly isWoken: boolean;
  readonly results: readonly (readonly WriteResult[])[];
}

export interface Packed {
  readonly text: string;
  readonly bytes: ArrayBuffer;
}

export function batchOf(groups: readonly PreparedGroup[]): readonly BatchGroup[] {
  return groups.map((group) => group.writes.map(batchWrite));
}

function batchWrite(prepared: PreparedWrite): BatchWrite {
  const { write, document, sealed, digest, cause, terms } = prepared;
  const { kind, key, when, claim } = write;
  const base = { kind, key, when, claim, document, sealed, digest, cause };
  if (kind === "delete") return { ...base, uid: "", terms: JSON.stringify(terms) };
  if (kind === "schedule") return { ...base, uid: "", terms: "[]", due: write.due };
  const { uid, due, names, uses, bounds } = write;
  const taken = names?.map((name) => batchName(name, key));
  return { ...base, uid, due, names: taken, uses, bounds, terms: JSON.stringify(terms) };
}

function batchName(held: UniqueName, key: ResourceKey): BatchName {
  const { scope, name, home } = held;
  return home !== undefined && isSameKey(home, key) ? { scope, name, isHome: true } : held;
}

/** A write as a list: names of fields, repeated in every write, would be half of the text. */
type WireWrite = [
  kind: BatchWrite["kind"],
  key: [kind: string, namespace: string, name: string],
  uid: string,
  when: Precondition,
  terms: string,
  bytes: [document: number, sealed: number, digest: number, cause: number],
  rest?: Pick<BatchWrite, "claim" | "due" | "names" | "uses" | "bounds">,
];

export function packBatch(groups: readonly BatchGroup[]): Packed {
  const bytes = new Bytes();
  const wire = groups.map((group) =>
    group.map((write): WireWrite => {
      const { kind, key, uid, when, terms, claim, due, names, uses, bounds } = write;
      const place: WireWrite[1] = [key.kind, key.namespace, key.name];
      const lengths: WireWrite[5] = [
        bytes.add(write.document),
        bytes.add(write.sealed),
        bytes.add(write.digest),
        bytes.add(write.cause),
      ];
      const isPlain = !claim && !due && !names && !uses && !bounds;
      if (isPlain) return [kind, place, uid, when, terms, lengths];
      return [kind, place, uid, when, terms, lengths, { claim, due, names, uses, bounds }];
    }),
  );
  return { text: JSON.stringify(wire), bytes: bytes.join() };
}

export function unpackBatch(packed: Packed): readonly BatchGroup[] {
  const bytes = new Cursor(packed.bytes);
  const wire = JSON.parse(packed.text) as readonly (readonly WireWrite[])[];
  return wire.map((group) =>
    group.map(([kind, [ofKind, namespace, name], uid, when, terms, lengths, rest]) => {
      const document = bytes.take(lengths[0]);
      const sealed = bytes.take(lengths[1]);
      const digest = bytes.take(lengths[2]);
      const cause = bytes.take(lengths[3]);
      const key = { kind: ofKind, namespace, name };
      return { kind, key, uid, when, terms, document, sealed, digest, cause, ...rest };
    }),
  );
}

/** A result as a list; what a put's caller knows is left out. A refusal is an object. */
type WireResult =
  | Refusal
  | readonly [revision: number]
  | readonly [revision: number, type: number, previous: number, rest?: WireRest];

interface WireRest {
  readonly previousTerms?: string | undefined;
  readonly terms?: string | undefined;
  readonly uid: string | undefined;
  readonly document: number;
  readonly sealed: number;
}

interface WireResults {
  readonly atMs: number;
  readonly isWoken?: true;
  readonly results: readonly (readonly WireResult[])[];
}

const types = ["created", "updated", "deleted"] as const;

export function packResult({ atMs, isWoken, results }: BatchResult): Packed {
  const bytes = new Bytes();
  const wire: WireResults = {
    atMs,
    ...(isWoken ? { isWoken } : {}),
    results: results.map((group) => group.map((result) => wireResult(result, bytes))),
  };
  return { text: JSON.stringify(wire), bytes: bytes.join() };
}

function wireResult(result: WriteResult, bytes: Bytes): WireResult {
  if (result.kind === "refused") return result;
  if (result.kind === "unchanged") return [result.revision];
  const { revision, type, previous, uid, terms, previousTerms } = result;
  const code = types.indexOf(type);
  if (type !== "deleted" && previousTerms === undefined) return [revision, code, previous ?? 0];
  const document = bytes.add(result.document);
  const sealed = bytes.add(result.sealed);
  return [revision, code, previous ?? 0, { previousTerms, terms, uid, document, sealed }];
}

/** The text alone is enough for answers; without the bytes, documents are left out. */
export function unpackResult({ text, bytes }: Packed): BatchResult {
  const { atMs, isWoken = false, results } = JSON.parse(text) as WireResults;
  const cursor = new Cursor(bytes);
  return {
    atMs,
    isWoken,
    results: results.map((group) => group.map((result) => resultOf(result, cursor))),
  };
}

function resultOf(wire: WireResult, bytes: Cursor): WriteResult {
  if ("kind" in wire) return wire;
  const [revision, code, previous, rest] = wire;
  if (code === undefined) return { kind: "unchanged", revision };
  return {
    kind: "committed",
    revision,
    type: types[code] ?? "updated",
    previous: previous === undefined || previous === 0 ? null : previous,
    uid: rest?.uid,
    terms: rest?.terms,
    previousTerms: rest?.previousTerms,
    document: bytes.take(rest?.document ?? -1),
    sealed: bytes.take(rest?.sealed ?? -1),
  };
}

/** Collects byte strings; each is known by its length from then on, an absent one by -1. */
class Bytes {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  add(part: Uint8Array | null): number {
    if (part === null) return -1;
    this.#parts.push(part);
    this.#length += part.length;
    return part.length;
  }

  join(): ArrayBuffer {
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined.buffer;
  }
}

/** Reads them back in the order they were added. */
class Cursor {
  readonly #bytes: ArrayBuffer;
  #at = 0;

  constructor(bytes: ArrayBuffer) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array | null {
    if (length < 0 || this.#at + length > this.#bytes.byteLength) return null;
    const part = new Uint8Array(this.#bytes, this.#at, length);
    this.#at += length;
    return part;
  }
}
