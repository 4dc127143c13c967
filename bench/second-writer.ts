/**
 * One of the writing processes of the two-process bench: writes for as many seconds as it is told,
 * then says how many a second, until its input ends. Through the port with 64 callers, or, as the
 * limit of the machine, raw in transactions of 64.
 */
import { createInterface } from "node:readline";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { documentText, keys } from "./documents.ts";
import { rate } from "./measure.ts";
import { RawPostgres } from "./raw-postgres.ts";
import { createAll } from "./store.ts";

const [url = "", prefix = "w", how = "port"] = process.argv.slice(2);
const writer = await (how === "raw" ? rawWriter() : portWriter());
let written = 0;
console.log("ready");
for await (const seconds of createInterface({ input: process.stdin })) {
  console.log(`rate ${await rate(async () => await writeFor(Number(seconds)))}`);
}
await writer.close();
process.exit(0);

async function writeFor(seconds: number): Promise<number> {
  const before = written;
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const names = Array.from({ length: 1_024 }, (_, index) => `${prefix}-${written + index}`);
    written += await writer.write(names);
  }
  return written - before;
}

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
