// The service of examples/scale-sets, in a process of its own.
import { join } from "node:path";
import { root } from "../../tools/stages.ts";
import { startService } from "./service.ts";
import type { Service } from "./service.ts";

export const scaleSetsFile = join(root, "examples/scale-sets/scale-sets.mjs");

export async function startScaleSets(): Promise<Service> {
  return await startService({
    name: "the service of the example",
    command: process.execPath,
    args: ({ port }) => [scaleSetsFile, String(port)],
    readyPath: "/scaleSets",
    isOurs: true,
  });
}
