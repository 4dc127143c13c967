/**
 * Runs one attack in a process of its own: `attack-program.ts NAME`, with the target as JSON on the
 * first line of stdin. Prints `prepared`, begins at the line `begin`, ends at the line `end`.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { AttackTarget } from "./attack.ts";
import { allAttacks } from "./all-attacks.ts";

const [name] = process.argv.slice(2);
const attack = (await allAttacks()).find((one) => one.name === name);
if (attack === undefined) throw new Error(`there is no attack ${name}`);
const lines = createInterface({ input: process.stdin });
const [text] = (await once(lines, "line")) as [string];
const target = JSON.parse(text) as AttackTarget;
await attack.prepare?.(target);
console.log("prepared");
await once(lines, "line");
const abort = new AbortController();
lines.once("line", () => abort.abort());
await attack.run(target, abort.signal);
console.log("ended");
process.exit(0);
