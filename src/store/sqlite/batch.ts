/**
 * A batch on its way to the writer's thread, and its answers on the way back. Structured clone of
 * many small objects costs more than the commit itself, so everything small travels as one JSON
 * text and all documents as one transferred buffer. The texts hold no lone surrogates (prepare.ts
 * refuses them), so JSON keeps them exactly.
 */
import type { ErrorCode } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
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
  readonly names?: readonly UniqueName[] | undefined;
  readonly uses?: readonly CounterUse[] | undefined;
  readonly bounds?: readonly CounterBound[] | undefined;
  /** A JSON array, as it is stored. */
  readonly terms: string;
  document: Uint8Array | null;
  sealed: Uint8Array | null;
  digest: Uint8Array | null;
}

export type BatchGroup = readonly BatchWrite[];

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
      readonly uid: string;
      /** The replaced terms when they differ, as JSON text. */
      readonly previousTerms?: string;
      /** The terms a deletion shows when it was not given any. */
      readonly terms?: string;
      /** The document a deletion shows when it was not given one. */
      document: Uint8Array | null;
      sealed: Uint8Array | null;
    }
  | { readonly kind: "unchanged"; readonly revision: number }
  | Refusal;

export interface BatchResult {
  readonly atMs: number;
  readonly results: readonly (readonly WriteResult[])[];
}

export interface Packed {
  readonly text: string;
  readonly bytes: ArrayBuffer;
}

export function batchOf(groups: readonly PreparedGroup[]): readonly BatchGroup[] {
  return groups.map((group) => group.writes.map(batchWrite));
}

function batchWrite({ write, document, sealed, digest, terms }: PreparedWrite): BatchWrite {
  const { kind, key, when, claim } = write;
  const base = { kind, key, when, claim, document, sealed, digest };
  if (kind === "delete") return { ...base, uid: "", terms: JSON.stringify(terms) };
  if (kind === "schedule") return { ...base, uid: "", terms: "[]", due: write.due };
  const { uid, due, names, uses, bounds } = write;
  return { ...base, uid, due, names, uses, bounds, terms: JSON.stringify(terms) };
}

export function packBatch(groups: readonly BatchGroup[]): Packed {
  const bytes = new Bytes();
  const text = JSON.stringify(
    groups.map((group) =>
      group.map((write) => ({
        ...write,
        document: bytes.add(write.document),
        sealed: bytes.add(write.sealed),
        digest: bytes.add(write.digest),
      })),
    ),
  );
  return { text, bytes: bytes.join() };
}

export function unpackBatch(packed: Packed): readonly BatchGroup[] {
  const groups = JSON.parse(packed.text) as readonly BatchGroup[];
  const bytes = new Cursor(packed.bytes);
  for (const group of groups) {
    for (const write of group) {
      write.document = bytes.take(write.document);
      write.sealed = bytes.take(write.sealed);
      write.digest = bytes.take(write.digest);
    }
  }
  return groups;
}

export function packResult({ atMs, results }: BatchResult): Packed {
  const bytes = new Bytes();
  const text = JSON.stringify({
    atMs,
    results: results.map((group) =>
      group.map((result) =>
        result.kind === "committed"
          ? { ...result, document: bytes.add(result.document), sealed: bytes.add(result.sealed) }
          : result,
      ),
    ),
  });
  return { text, bytes: bytes.join() };
}

export function unpackResult(packed: Packed): BatchResult {
  const result = JSON.parse(packed.text) as BatchResult;
  const bytes = new Cursor(packed.bytes);
  for (const group of result.results) {
    for (const each of group) {
      if (each.kind !== "committed") continue;
      each.document = bytes.take(each.document);
      each.sealed = bytes.take(each.sealed);
    }
  }
  return result;
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

/** Reads them back in the order they were added. The fields hold lengths until then. */
class Cursor {
  readonly #bytes: ArrayBuffer;
  #at = 0;

  constructor(bytes: ArrayBuffer) {
    this.#bytes = bytes;
  }

  take(length: unknown): Uint8Array | null {
    if (typeof length !== "number" || length < 0) return null;
    const part = new Uint8Array(this.#bytes, this.#at, length);
    this.#at += length;
    return part;
  }
}
