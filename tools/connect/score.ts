/**
 * Measures how well fields are classed, on a folder of documents that say what is true:
 *
 *   npm run connect:score -- FOLDER
 */
import { qualityOf, scoreDocuments } from "./score-documents.ts";
import type { SetScore, Tally } from "./score-documents.ts";

const folder = process.argv[2];
if (folder === undefined) throw new Error("name the folder of the documents");
const { tuning, heldOut, skipped } = await scoreDocuments(folder);
console.log("set       services  resources   fields   class         P      R      F1");
for (const line of [...scoreLines("tuning", tuning), ...scoreLines("held out", heldOut)]) {
  console.log(line);
}
console.log(`${skipped} files are not OpenAPI documents or have no annotations`);

function scoreLines(name: string, { units, resources, scores }: SetScore): readonly string[] {
  const counts = [units, resources, scores.fields].map((count) => String(count).padStart(9));
  const line = (what: string, tally: Tally): string => {
    const { precision, recall, f1 } = qualityOf(tally);
    const numbers = [precision, recall, f1].map((one) => one.toFixed(3)).join("  ");
    return `${name.padEnd(9)}${counts.join("")}   ${what.padEnd(12)}${numbers}`;
  };
  return [line("read-only", scores.readOnly), line("create-only", scores.createOnly)];
}
