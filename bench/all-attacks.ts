/** The attacks of all files in attacks/, by name. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Attack } from "./attack.ts";

const folder = join(import.meta.dirname, "attacks");

export async function allAttacks(): Promise<readonly Attack[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".ts"));
  const found: Attack[] = [];
  for (const file of files) {
    const { attacks } = (await import(join(folder, file))) as { attacks?: readonly Attack[] };
    if (attacks === undefined) throw new Error(`bench/attacks/${file} exports no attacks`);
    found.push(...attacks);
  }
  return found.toSorted((a, b) => a.name.localeCompare(b.name));
}
