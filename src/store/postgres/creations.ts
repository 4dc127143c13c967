/**
 * A batch of nothing but creations, as the parameters of create_v2 (explained in the migrations
 * 0011_create.sql and 0012_cause.sql), and its answer in the form of commit_v4's.
 */
import type { Put } from "../port.ts";
import type { PreparedGroup, PreparedWrite } from "../prepare.ts";
import type { BatchAnswer } from "./answers.ts";
import { keyArrays } from "./batch.ts";
import { arrayLiteral, bytesArray, int4Array, int8Array, textArray } from "./binary-array.ts";

/** How many parameters `creationValues` gives. */
export const creationValueCount = 14;

/** Undefined when the batch does anything else, or holds what a key alone cannot judge. */
export function creationsIn(groups: readonly PreparedGroup[]): readonly Creation[] | undefined {
  const all: Creation[] = [];
  for (const { writes } of groups) {
    for (const prepared of writes) {
      if (!isCreation(prepared)) return undefined;
      all.push(prepared);
    }
  }
  return all;
}

type Creation = PreparedWrite & { readonly write: Put };

function isCreation(prepared: PreparedWrite): prepared is Creation {
  const { write, sealed } = prepared;
  if (write.kind !== "put" || write.when.kind !== "absent" || sealed !== null) return false;
  if (write.claim !== undefined || write.due?.kind === "release") return false;
  return write.uses === undefined && write.bounds === undefined;
}

/** The parameters of create_v2 after writer, batch and skew. */
export function creationValues(creations: readonly Creation[]): readonly unknown[] {
  const due: number[] = [];
  const dueAfter: (number | null)[] = [];
  const take: number[] = [];
  const names: { readonly scope: string; readonly name: string }[] = [];
  for (const [index, { write }] of creations.entries()) {
    if (write.due !== undefined) {
      due.push(index + 1);
      dueAfter.push(write.due.afterMs ?? null);
    }
    for (const unique of write.names ?? []) {
      take.push(index + 1);
      names.push(unique);
    }
  }
  return [
    ...keyArrays(creations.map(({ write }) => write.key)),
    textArray(creations.map(({ write }) => write.uid)),
    bytesArray(
      creations.map(({ digest }) => digest),
      "bytea",
    ),
    int4Array(creations.map(({ document }) => document?.length ?? 0)),
    bytesArray(
      creations.map(({ document }) => document),
      "text",
    ),
    textArray(creations.map(({ terms }) => arrayLiteral(terms))),
    int4Array(due),
    int8Array(dueAfter),
    int4Array(take),
    textArray(names.map(({ scope }) => scope)),
    textArray(names.map(({ name }) => name)),
    bytesArray(
      creations.map(({ cause }) => cause),
      "bytea",
    ),
  ];
}

interface CreationAnswer {
  /** The revision before the first of them. */
  readonly first: number;
  readonly at: number;
  readonly work: boolean;
}

export function creationAnswer(count: number, text: string): BatchAnswer {
  const { first, at, work } = JSON.parse(text) as CreationAnswer;
  return {
    head: first + count,
    at,
    work,
    c: Array.from({ length: count }, () => 0),
    r: Array.from({ length: count }, (_, index) => first + 1 + index),
    p: Array.from({ length: count }, () => null),
    t: null,
    why: {},
  };
}
