/**
 * What a server that is told to stop waits for, and for how long at most. Whoever pressed Ctrl-C
 * and sees nothing happen takes it for dead.
 */
import { abortWaitMs } from "../engine/engine.ts";
import { listText } from "../engine/why/report.ts";
import type { RunInfo } from "../engine/work/workers.ts";
import { spanText } from "../kernel/span-text.ts";

/** "waits for 1 run (Slow/c), up to 15 s"; undefined when there is nothing to wait for. */
export function stopReport(
  running: readonly Pick<RunInfo, "key">[],
  kindName: (id: string) => string | undefined,
  graceMs: number,
): string | undefined {
  if (running.length === 0) return undefined;
  const names = running.map(({ key }) => `${kindName(key.kind) ?? key.kind}/${key.name}`);
  const count = names.length === 1 ? "1 run" : `${names.length} runs`;
  return `waits for ${count} (${listText(names)}), up to ${spanText(graceMs + abortWaitMs)}`;
}
