// How good guesses are: the classes that a document states, compared with those that are inferred
// when its statements are left out. Every field counts, with what it has from above.

import type { Classified } from "./classify.ts";

export interface Tally {
  /** Guessed and stated. */
  readonly hits: number;
  /** Guessed, not stated. */
  readonly extra: number;
  /** Stated, not guessed. */
  readonly missed: number;
}

export interface Scores {
  readonly fields: number;
  readonly readOnly: Tally;
  readonly createOnly: Tally;
}

export const noScores: Scores = {
  fields: 0,
  readOnly: { hits: 0, extra: 0, missed: 0 },
  createOnly: { hits: 0, extra: 0, missed: 0 },
};

/** Of one resource: what its marks say against what was inferred without them. */
export function scoreOf(stated: Classified, inferred: Classified): Scores {
  let scores: Scores = noScores;
  for (const field of stated.table.values()) {
    const { isReadOnly, mutability } = field.marks;
    const canCreate = mutability === undefined || mutability.includes("create");
    const canUpdate = mutability === undefined || mutability.includes("update");
    const isRead = isReadOnly || (!canCreate && !canUpdate);
    const guess = inferred.judgements.get(field.path)?.class;
    scores = addScores(scores, {
      fields: 1,
      readOnly: tally(isRead, guess === "read-only"),
      createOnly: tally(!isRead && canCreate && !canUpdate, guess === "create-only"),
    });
  }
  return scores;
}

export function addScores(a: Scores, b: Scores): Scores {
  return {
    fields: a.fields + b.fields,
    readOnly: sum(a.readOnly, b.readOnly),
    createOnly: sum(a.createOnly, b.createOnly),
  };
}

export interface Quality {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

export function qualityOf({ hits, extra, missed }: Tally): Quality {
  const precision = hits + extra === 0 ? 0 : hits / (hits + extra);
  const recall = hits + missed === 0 ? 0 : hits / (hits + missed);
  const f1 = hits === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { precision, recall, f1 };
}

function tally(isStated: boolean, isGuessed: boolean): Tally {
  return {
    hits: isStated && isGuessed ? 1 : 0,
    extra: !isStated && isGuessed ? 1 : 0,
    missed: isStated && !isGuessed ? 1 : 0,
  };
}

function sum(a: Tally, b: Tally): Tally {
  return { hits: a.hits + b.hits, extra: a.extra + b.extra, missed: a.missed + b.missed };
}
