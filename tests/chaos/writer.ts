// The program that is killed: runs the workload on a store until SIGTERM or until it dies, and says
// on standard output what it asked and what it was answered (see evidence.ts).
//
//   sh tools/run tests/chaos/writer.ts TARGET NAME SEED LANES [compact]
import { waitUntil } from "../peers/wait.ts";
import { codeOf, emitLine } from "./evidence.ts";
import { openTarget } from "./target.ts";
import { runWorkload } from "./workload.ts";

const [target = "", name = "writer", seed = "1", lanes = "8", compact] = process.argv.slice(2);
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());

// A server that is just coming back may refuse the first attempts; anything else is a problem.
const store = await waitUntil(
  "the store to open",
  async () => {
    try {
      return await openTarget(target);
    } catch (error) {
      const code = codeOf(error);
      if (code !== "store.unavailable") emitLine({ kind: "problem", text: `open: ${code}` });
      return undefined;
    }
  },
  { limitMs: 120_000 },
);
emitLine({ kind: "ready" });
const { signal } = stopping;
const options = { name, seed: Number(seed), lanes: Number(lanes), compacts: compact === "compact" };
await runWorkload(store, { ...options, signal }, emitLine);
await store.close();
