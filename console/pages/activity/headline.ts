import type { Operations } from "../../api/insight.ts";
import { plural } from "../../format/number.ts";
import { spanText } from "../../format/time.ts";

/** "3 runs in progress; 12 resources are due, the oldest for 4 s" */
export function headlineOf({ running, queues }: Pick<Operations, "running" | "queues">): string {
  const due = queues.reduce((sum, queue) => sum + queue.due, 0);
  const oldest = Math.max(0, ...queues.map(({ oldestDueMs = 0 }) => oldestDueMs));
  const runs = running.length === 0 ? "No run" : plural(running.length, "run");
  const start = `${runs} in progress on this server`;
  if (due === 0) return `${start}; nothing is due`;
  const wait = oldest === 0 ? "" : `, the oldest for ${spanText(oldest)}`;
  return `${start}; ${plural(due, "resource is", "resources are")} due${wait}`;
}
