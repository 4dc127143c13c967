/**
 * One of the writing processes of the two-process bench: writes when told to, then says how many.
 * Through the port with 64 callers, or, as the limit of the machine, raw in transactions of 64.
 */
import { once } from "node:events";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { documentText, keys } from "./documents.ts";
import { RawPostgres } from "./raw-postgres.ts";
import { createAll } from "./store.ts";

const [url = "", prefix = "w", seconds = "3", how = "port"] = process.argv.slice(2);
const writer = await (how === "raw" ? rawWriter() : portWriter());
console.log("ready");
await once(process.stdin, "data");
const end = performance.now() + Number(seconds) * 1_000;
let written = 0;
while (performance.now() < end) {
  const names = Array.from({ length: 2_048 }, (_, index) => `${prefix}-${written + index}`);
  written += await writer.write(names);
}
const tookMs = Number(seconds) * 1_000 + performance.now() - end;
console.log(`rate ${(written * 1_000) / tookMs}`);
await writer.close();
process.exit(0);

async function portWriter() {
  const store = await openPostgresStore({ url, keys });
  return {
    write: async (names: readonly string[]) => await createAll(store, names, 64),
    close: async () => await store.close(),
  };
}

async function rawWriter() {
  const first = prefix.charCodeAt(0) * 1_000_000_000;
  const raw = await RawPostgres.open(url, first);
  return {
    write: async (names: readonly string[]) =>
      await raw.write(
        names.map((name) => ({ name, text: documentText(name) })),
        64,
      ),
    close: async () => await raw[Symbol.asyncDispose](),
  };
}
