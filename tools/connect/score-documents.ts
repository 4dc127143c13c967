/**
 * How well fields are classed without what documents say of them, measured on documents that do say
 * it. docs/reference/connect-fields.md has the result.
 */
import { pathToFileURL } from "node:url";
import { SetpointError } from "../../src/kernel/errors.ts";
import { loadDocument } from "../../src/modules/connect/document/load.ts";
import type { Documents } from "../../src/modules/connect/document/load.ts";
import { addScores, noScores, qualityOf, scoreOf } from "../../src/modules/connect/fields/score.ts";
import type { Scores, Tally } from "../../src/modules/connect/fields/score.ts";
import { describeResource } from "../../src/modules/connect/import/describe.ts";
import type { Described } from "../../src/modules/connect/import/describe.ts";
import { operationsOf } from "../../src/modules/connect/import/operations.ts";
import { findResources, groupPaths } from "../../src/modules/connect/import/resources.ts";
import { treesOf } from "../../src/modules/connect/import/trees.ts";
import { corpusIn } from "./corpus.ts";
import type { CorpusFile } from "./corpus.ts";
import { httpWith } from "../../src/adapters/http/client.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { documentReader } from "../../src/modules/connect/document/read-document.ts";

export { qualityOf };
export type { Tally };

export interface SetScore {
  readonly units: number;
  readonly resources: number;
  readonly scores: Scores;
}

export interface CorpusScore {
  readonly tuning: SetScore;
  readonly heldOut: SetScore;
  /** Files that are no documents of services, or hardly say what may be done with fields. */
  readonly skipped: number;
}

/** Both readings of one resource: with and without what the document says of its fields. */
export interface Pair {
  readonly file: CorpusFile;
  readonly stated: Described;
  readonly inferred: Described;
}

export async function scoreDocuments(root: string): Promise<CorpusScore> {
  const sets = { tuning: emptySet(), heldOut: emptySet() };
  let skipped = 0;
  for (const file of corpusIn(root)) {
    const pairs = await pairsIn(file);
    if (pairs === undefined) skipped += 1;
    const set = file.isHeldOut ? sets.heldOut : sets.tuning;
    for (const { stated, inferred } of pairs ?? []) {
      set.units.add(file.unit);
      set.resources += 1;
      set.scores = addScores(set.scores, scoreOf(stated.classified, inferred.classified));
    }
  }
  const done = ({ units, ...rest }: OpenSet): SetScore => ({ ...rest, units: units.size });
  return { tuning: done(sets.tuning), heldOut: done(sets.heldOut), skipped };
}

interface OpenSet {
  readonly units: Set<string>;
  resources: number;
  scores: Scores;
}

function emptySet(): OpenSet {
  return { units: new Set(), resources: 0, scores: noScores };
}

/** Undefined for a file that cannot be measured by. */
export async function pairsIn(file: CorpusFile): Promise<readonly Pair[] | undefined> {
  const root = pathToFileURL(file.path).href;
  let documents: Documents;
  try {
    documents = await loadDocument(root, documentReader(root, httpWith(systemTimers)));
  } catch (error) {
    if (error instanceof SetpointError) return undefined;
    throw error;
  }
  const trees = treesOf(documents);
  const pairs = findResources(groupPaths(operationsOf(documents))).flatMap((found) => {
    const stated = describeResource(found, trees);
    const inferred = describeResource(found, trees, { useMarks: false });
    const isWhole =
      stated?.trees.read !== undefined &&
      (stated.trees.create !== undefined || stated.trees.replace !== undefined);
    if (!isWhole || stated === undefined || inferred === undefined) return [];
    return [{ file, stated, inferred }];
  });
  return isMarked(pairs) ? pairs : undefined;
}

/** A document that marks hardly anything says nothing about what is true. */
function isMarked(pairs: readonly Pair[]): boolean {
  const marked = pairs.filter(({ stated }) =>
    [...stated.classified.table.values()].some(({ isMarkedHere }) => isMarkedHere),
  );
  return marked.length * 5 >= pairs.length;
}
