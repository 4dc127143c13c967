/**
 * Tunes the weights by which fields are guessed, on the tuning half of a folder of documents that
 * say what is true, and writes the tables. The held-out half is never read here; `npm run
 * connect:score` measures it.
 *
 *   sh tools/run tools/connect/tune.ts FOLDER
 *
 * Logistic regression on the signs of fields, with an L1 penalty that leaves most signs without a
 * weight. A sign counts only if it occurs in several services, so that none is known by the names
 * it alone uses.
 */
import { writeFileSync } from "node:fs";
import { corpusIn } from "./corpus.ts";
import { pairsIn } from "./score-documents.ts";
import type { Pair } from "./score-documents.ts";
import { signsOf } from "../../src/modules/connect/fields/signs.ts";
import type { Field } from "../../src/modules/connect/fields/field-table.ts";

interface Sample {
  readonly signs: readonly string[];
  readonly isTrue: boolean;
  readonly unit: string;
}

interface Model {
  readonly bias: number;
  readonly weights: ReadonlyMap<string, number>;
}

interface Penalty {
  readonly ridge: number;
  readonly lasso: number;
}

type Question = "read-only" | "create-only";

const minUnits = 3;
const rounds = 150;
const folder = process.argv[2];
if (folder === undefined) throw new Error("name the folder of the documents");

const samples: Record<Question, Sample[]> = { "read-only": [], "create-only": [] };
for (const file of corpusIn(folder)) {
  if (file.isHeldOut) continue;
  for (const pair of (await pairsIn(file)) ?? []) addSamples(pair);
}
for (const question of ["read-only", "create-only"] as const) {
  const all = samples[question];
  const penalty = { ridge: 5, lasso: 1 };
  const threshold = bestThreshold(all, penalty);
  write(question, fit(all, penalty), threshold);
}

function addSamples({ file, stated, inferred }: Pair): void {
  const { table } = stated.classified;
  for (const field of table.values()) {
    const guess = inferred.classified.judgements.get(field.path);
    const other = inferred.classified.table.get(field.path);
    if (guess?.from === "difference" || other === undefined) continue;
    const above = field.parent === undefined ? undefined : truthOf(field.parent);
    if (above === "read-only") continue;
    const truth = truthOf(field);
    const signs = signsOf(other, inferred.classified.context);
    const base = { signs, unit: file.unit };
    samples["read-only"].push({ ...base, isTrue: truth === "read-only" });
    if (truth === "read-only" || above === "create-only") continue;
    samples["create-only"].push({ ...base, isTrue: truth === "create-only" });
  }
}

function truthOf({ marks }: Field): Question | undefined {
  const { isReadOnly, mutability } = marks;
  if (isReadOnly) return "read-only";
  if (mutability === undefined || mutability.includes("update")) return undefined;
  return mutability.includes("create") ? "create-only" : "read-only";
}

function fit(all: readonly Sample[], { ridge, lasso }: Penalty): Model {
  const units = new Map<string, Set<string>>();
  for (const { signs, unit } of all) {
    for (const sign of signs) units.set(sign, (units.get(sign) ?? new Set()).add(unit));
  }
  const ids = new Map<string, number>();
  for (const [sign, seen] of units) {
    if (seen.size >= minUnits) ids.set(sign, ids.size);
  }
  const bias = ids.size;
  const rows = all.map(({ signs }) => [...signs.flatMap((sign) => ids.get(sign) ?? []), bias]);
  const shares = sharesOf(all);
  const longest = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const steps = new Float64Array(bias + 1);
  for (const [index, row] of rows.entries()) {
    for (const id of row) steps[id] = (steps[id] ?? 0) + (shares[index] ?? 0) * 0.25;
  }
  for (let id = 0; id <= bias; id += 1) steps[id] = 1 / ((steps[id] ?? 0) * longest * 0.5 + ridge);
  let weights = new Float64Array(bias + 1);
  let ahead = new Float64Array(bias + 1);
  let momentum = 1;
  for (let round = 0; round < rounds; round += 1) {
    const slope = new Float64Array(bias + 1);
    for (const [index, row] of rows.entries()) {
      const sample = all[index];
      if (sample === undefined) continue;
      let sum = 0;
      for (const id of row) sum += ahead[id] ?? 0;
      const error = (1 / (1 + Math.exp(-sum)) - (sample.isTrue ? 1 : 0)) * (shares[index] ?? 0);
      for (const id of row) slope[id] = (slope[id] ?? 0) + error;
    }
    const next = new Float64Array(bias + 1);
    for (let id = 0; id <= bias; id += 1) {
      const [at, step] = [ahead[id] ?? 0, steps[id] ?? 0];
      const moved = at - step * ((slope[id] ?? 0) + (id === bias ? 0 : ridge * at));
      const least = id === bias ? 0 : step * lasso;
      next[id] = Math.sign(moved) * Math.max(0, Math.abs(moved) - least);
    }
    const later = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    ahead = next.map(
      (value, id) => value + ((momentum - 1) / later) * (value - (weights[id] ?? 0)),
    );
    weights = next;
    momentum = later;
  }
  const found = new Map<string, number>();
  for (const [sign, id] of ids) {
    const value = weights[id] ?? 0;
    if (Math.abs(value) >= 0.05) found.set(sign, value);
  }
  return { bias: weights[bias] ?? 0, weights: found };
}

/** A service with a hundred times as many fields counts ten times as much, not a hundred. */
function sharesOf(all: readonly Sample[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const { unit } of all) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  const shares = all.map(({ unit }) => 1 / Math.sqrt(counts.get(unit) ?? 1));
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return shares.map((share) => share / mean);
}

function probability({ bias, weights }: Model, signs: readonly string[]): number {
  const sum = signs.reduce((total, sign) => total + (weights.get(sign) ?? 0), bias);
  return 1 / (1 + Math.exp(-sum));
}

/** By guessing each fifth of the services with the weights of the others. */
function bestThreshold(all: readonly Sample[], penalty: Penalty): number {
  const names = [...new Set(all.map(({ unit }) => unit))].toSorted();
  const shares = sharesOf(all);
  const guessed: { readonly p: number; readonly isTrue: boolean; readonly share: number }[] = [];
  for (let fold = 0; fold < 5; fold += 1) {
    const isOut = ({ unit }: Sample): boolean => names.indexOf(unit) % 5 === fold;
    const model = fit(
      all.filter((sample) => !isOut(sample)),
      penalty,
    );
    for (const [index, sample] of all.entries()) {
      if (!isOut(sample)) continue;
      const share = shares[index] ?? 0;
      guessed.push({ p: probability(model, sample.signs), isTrue: sample.isTrue, share });
    }
  }
  const sum = (some: typeof guessed): number => some.reduce((total, { share }) => total + share, 0);
  let best = { threshold: 0.5, f1: 0 };
  for (let threshold = 0.1; threshold < 0.9; threshold += 0.05) {
    const said = guessed.filter(({ p }) => p >= threshold);
    const hits = sum(said.filter(({ isTrue }) => isTrue));
    const real = sum(guessed.filter(({ isTrue }) => isTrue));
    const f1 = (2 * hits) / (sum(said) + real);
    if (f1 > best.f1) best = { threshold, f1 };
  }
  console.log(`cross-validated on other services: F1 ${best.f1.toFixed(3)}`);
  return Math.round(best.threshold * 100) / 100;
}

function write(question: Question, { bias, weights }: Model, threshold: number): void {
  const entries = [...weights].toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const lines: string[] = [];
  let line = "";
  for (const [sign, weight] of entries) {
    const entry = `${sign} ${weight.toFixed(2)};`;
    if (line.length + entry.length > 96) {
      lines.push(line);
      line = "";
    }
    line += entry;
  }
  lines.push(line);
  const name = question === "read-only" ? "readOnlyWeights" : "createOnlyWeights";
  const text =
    `// How much each sign speaks for a field being ${question}. Made by tools/connect/tune.ts; see
// docs/reference/connect-fields.md for the documents and the method.

import { readWeights } from "../weights.ts";

export const ${name} = readWeights(
  ${bias.toFixed(2)},
  ${threshold},
  `.concat("`\n", lines.join("\n"), "\n`,\n);\n");
  writeFileSync(
    new URL(`../src/modules/connect/fields/weights-${question}.ts`, import.meta.url),
    text,
  );
  console.log(`${question}: ${entries.length} signs, threshold ${threshold}`);
}
