/**
 * The other process of the wake-up bench: follows the log and says how long after the start of each
 * commit its change arrived here. Both processes read the same monotonic clock of the machine.
 */
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { keys } from "./documents.ts";

const [url = "", expected = "0"] = process.argv.slice(2);
const store = await openPostgresStore({ url, keys });
let { revision } = await store.head();
console.log("following");
const delaysMs: number[] = [];
while (delaysMs.length < Number(expected)) {
  await store.advancedBeyond(revision);
  const { changes } = await store.changes(revision);
  const now = process.hrtime.bigint();
  for (const change of changes) {
    revision = change.revision;
    const { sentNs } = JSON.parse(change.body.toString()) as { readonly sentNs: string };
    delaysMs.push(Number(now - BigInt(sentNs)) / 1e6);
  }
}
console.log(`delays ${JSON.stringify(delaysMs)}`);
await store.close();
