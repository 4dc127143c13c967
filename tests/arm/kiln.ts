// One kiln of kiln-module.ts: its body, the lines that its steps have left, and its gates.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "../peers/wait.ts";
import { subscription } from "./arm-server.ts";

export const kilnVersion = "2026-01-01";

export interface KilnBody {
  readonly location: string;
  readonly properties: { readonly log: string; readonly gate: string; readonly size: number };
}

export interface Kiln extends AsyncDisposable {
  readonly path: string;
  body(size?: number): KilnBody;
  /** The names of the steps that were begun. */
  steps(): Promise<readonly string[]>;
  /** The process that began the step for the nth time, once it has. */
  begun(step: string, times?: number): Promise<number>;
  /** Until that process has begun the step. */
  begunBy(step: string, pid: number | undefined): Promise<void>;
  open(gate: "build" | "removal"): Promise<void>;
}

export async function kilnFor(name: string): Promise<Kiln> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-kiln-"));
  const [log, gate] = [join(folder, "log"), join(folder, "gate")];
  const lines = async (): Promise<readonly string[]> => {
    const text = await readFile(log, "utf8").catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  };
  const group = `/subscriptions/${subscription}/resourceGroups/clay`;
  return {
    path: `${group}/providers/Example.Pottery/kilns/${name}`,
    body: (size = 1) => ({ location: "westeurope", properties: { log, gate, size } }),
    steps: async () => (await lines()).map((line) => line.split(" ")[0] ?? ""),
    begun: async (step, times = 1) => {
      const what = `${step} of ${name}, ${times} times`;
      const find = async (): Promise<number | undefined> => {
        const line = (await lines()).filter((each) => each.startsWith(`${step} `))[times - 1];
        return line === undefined ? undefined : Number(line.split(" ")[1]);
      };
      return await waitUntil(what, find, { limitMs: 120_000 });
    },
    begunBy: async (step, pid) => {
      const isBegun = async (): Promise<boolean> => (await lines()).includes(`${step} ${pid}`);
      await waitUntil(`${step} of ${name} by ${pid}`, isBegun);
    },
    open: async (which) => await writeFile(which === "build" ? gate : `${gate}-removal`, ""),
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}
