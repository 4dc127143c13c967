/**
 * Measures how well fields are classed, on a folder of documents that say what is true:
 *
 *   npm run connect:score -- FOLDER
 *
 * With --annotated, on the documents that tools/connect/annotations describes:
 *
 *   npm run connect:score -- --annotated FOLDER
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { scoreAnnotated } from "./score-annotated.ts";
import { qualityOf, scoreDocuments } from "./score-documents.ts";
import type { SetScore, Tally } from "./score-documents.ts";

const { values, positionals } = parseArgs({
  options: { annotated: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) throw new Error("name the folder of the documents");
if (values.annotated) await printAnnotated(folder);
else await printMarked(folder);

async function printAnnotated(documents: string): Promise<void> {
  const annotations = fileURLToPath(new URL("annotations", import.meta.url));
  const score = await scoreAnnotated(documents, annotations);
  const { kinds, identities, envelopes, operations, fields, rightFields } = score;
  console.log(`${score.documents} documents, ${kinds} kinds, ${fields} fields`);
  const part = (what: string, right: number, all: number): void =>
    console.log(`${what.padEnd(12)}${right} of ${all}`);
  part("identity", identities, kinds);
  part("envelope", envelopes, kinds);
  part("operations", operations, kinds);
  part("class", rightFields, fields);
  for (const what of ["readOnly", "createOnly", "secrets"] as const) {
    const { precision, recall, f1 } = score[what];
    const numbers = [precision, recall, f1].map((one) => one.toFixed(3)).join("  ");
    console.log(`${what.padEnd(12)}${numbers}   (precision, recall, F1)`);
  }
}

async function printMarked(documents: string): Promise<void> {
  const { tuning, heldOut, skipped } = await scoreDocuments(documents);
  console.log("set       services  resources   fields   class         P      R      F1");
  for (const line of [...scoreLines("tuning", tuning), ...scoreLines("held out", heldOut)]) {
    console.log(line);
  }
  console.log(`${skipped} files are not OpenAPI documents or have no annotations`);
}

function scoreLines(name: string, { units, resources, scores }: SetScore): readonly string[] {
  const counts = [units, resources, scores.fields].map((count) => String(count).padStart(9));
  const line = (what: string, tally: Tally): string => {
    const { precision, recall, f1 } = qualityOf(tally);
    const numbers = [precision, recall, f1].map((one) => one.toFixed(3)).join("  ");
    return `${name.padEnd(9)}${counts.join("")}   ${what.padEnd(12)}${numbers}`;
  };
  return [line("read-only", scores.readOnly), line("create-only", scores.createOnly)];
}
