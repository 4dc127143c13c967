// What a writer says about each call, one JSON line at a time: what it is about to ask, and what it
// was answered. The lines leave the process by a blocking write before anything else happens, so an
// `end` line in the parent's hands proves that the answer came before the crash, and a `begin` line
// without an `end` is a call whose effect nobody knows: it may be there whole, or not at all.
import { writeSync } from "node:fs";
import { isSetpointError } from "../../src/kernel/errors.ts";
import { documentDigest } from "../../src/kernel/document.ts";
import { keyText } from "../../src/kernel/resource.ts";
import type { Answer, Write } from "../../src/store/port.ts";

export type Evidence =
  | {
      readonly kind: "begin";
      readonly id: string;
      readonly atUs: number;
      /** By the clock on the wall, as leases are; it is the database's clock too on one machine. */
      readonly wallMs: number;
      readonly atomic: boolean;
      readonly writes: readonly WriteNote[];
    }
  | {
      readonly kind: "end";
      readonly id: string;
      readonly atUs: number;
      readonly answers: readonly AnswerNote[];
    }
  | { readonly kind: "fail"; readonly id: string; readonly atUs: number; readonly code: string }
  | {
      readonly kind: "claimed";
      readonly beginUs: number;
      readonly atUs: number;
      readonly leaseMs: number;
      readonly claims: readonly ClaimNote[];
    }
  | { readonly kind: "renewed"; readonly token: number; readonly expiresAtMs: number }
  /** A follower of the log saw these documents at `first`, `first + 1`, ... */
  | { readonly kind: "seen"; readonly first: number; readonly digests: readonly string[] }
  | { readonly kind: "ready" }
  | { readonly kind: "problem"; readonly text: string };

export interface WriteNote {
  readonly write: Write["kind"];
  readonly key: string;
  /** Of the document it carries; undefined when it carries none. */
  readonly digest?: string;
  readonly when: "absent" | "exists" | number;
  /** The bytes that are stored already, written again: their digest belongs to another call. */
  readonly isRepeat?: boolean;
  /** The token of the fence, and whether the write gives the claim back. */
  readonly token?: number;
  readonly releases?: boolean;
}

export type AnswerNote =
  | { readonly kind: "committed" | "unchanged"; readonly revision: number }
  | { readonly kind: "refused"; readonly code: string };

export interface ClaimNote {
  readonly key: string;
  readonly uid: string;
  readonly token: number;
  readonly expiresAtMs: number;
}

export type Emit = (evidence: Evidence) => void;

export function emitLine(evidence: Evidence): void {
  writeLine(evidence);
}

/** Not process.stdout: that may buffer, and what is buffered dies with the process. */
export function writeLine(value: unknown): void {
  let rest = Buffer.from(`${JSON.stringify(value)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      // The parent is slower than we are. Waiting is all there is to do, and here it must block.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Whole lines only: a process killed in the middle of one has not said it. */
export function parseEvidence(output: string): readonly Evidence[] {
  const whole = output.slice(0, output.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Evidence);
}

/** The same clock in every process of a machine. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

export function noteOf(write: Write, isRepeat = false): WriteNote {
  const draft =
    write.kind === "put" ? write.draft : write.kind === "delete" ? write.last : undefined;
  const releases = write.kind !== "delete" && write.due?.kind === "release";
  return {
    write: write.kind,
    key: keyText(write.key),
    when: write.when.kind === "revision" ? write.when.revision : write.when.kind,
    ...(draft === undefined ? {} : { digest: digestText(draft.body) }),
    ...(isRepeat ? { isRepeat } : {}),
    ...(write.claim === undefined ? {} : { token: write.claim.token, releases }),
  };
}

export function answerNote(answer: Answer): AnswerNote {
  if (answer.kind !== "refused") return { kind: answer.kind, revision: answer.revision };
  return { kind: "refused", code: codeOf(answer.error) };
}

/** Anything that is not one of ours is a fault of the store, and told as such. */
export function codeOf(error: unknown): string {
  if (isSetpointError(error)) return error.code;
  return `untyped: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

export function digestText(body: Uint8Array): string {
  return documentDigest(body).toString("hex");
}
