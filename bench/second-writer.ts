/**
 * One of the writing processes of the two-process bench: writes when told to, then says how many.
 */
import { once } from "node:events";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { keys } from "./documents.ts";
import { createAll } from "./store.ts";

const [url = "", prefix = "w", seconds = "3"] = process.argv.slice(2);
const store = await openPostgresStore({ url, keys });
console.log("ready");
await once(process.stdin, "data");
const end = performance.now() + Number(seconds) * 1_000;
let written = 0;
while (performance.now() < end) {
  const names = Array.from({ length: 2_048 }, (_, index) => `${prefix}-${written + index}`);
  written += await createAll(store, names, 64);
}
const tookMs = Number(seconds) * 1_000 + performance.now() - end;
console.log(`rate ${(written * 1_000) / tookMs}`);
await store.close();
process.exit(0);
