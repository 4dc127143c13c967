/** The services of the demo: programs of examples/, in threads, which end with the process. */
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { examplesFolder } from "./demo-plan.ts";
import type { DemoService } from "./demo-plan.ts";

/** The preferred port, or a free one. */
export async function freePort(preferred: number): Promise<number> {
  return (await portIfFree(preferred)) ?? (await portIfFree(0)) ?? preferred;
}

async function portIfFree(port: number): Promise<number | undefined> {
  const probe = createServer();
  return await new Promise((resolve) => {
    probe.once("error", () => resolve(undefined));
    probe.listen(port, "127.0.0.1", () => {
      const { port: found } = probe.address() as AddressInfo;
      probe.close(() => resolve(found));
    });
  });
}

export interface RunningService {
  readonly stop: () => Promise<void>;
}

/** Resolves when the service listens. Its data is in a file of the folder. */
export async function startService(
  { name, program }: DemoService,
  port: number,
  folder: string,
): Promise<RunningService> {
  const argv = [String(port), join(folder, `${name}.json`)];
  const worker = new Worker(join(examplesFolder, program), { argv, execArgv: [], stdout: true });
  await new Promise<void>((resolve, reject) => {
    // A service says that it is ready.
    worker.stdout.once("data", () => resolve());
    worker.once("error", reject);
  });
  worker.stdout.resume();
  // A failure after the start ends the service, and not the server.
  worker.on("error", () => undefined);
  return { stop: async () => void (await worker.terminate()) };
}
