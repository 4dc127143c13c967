/** The running module: the reconcilers and tasks of its parts. */
import type { StartPorts } from "../../contract/ports.ts";
import type { GitOpsPart } from "./part.ts";

export async function startParts(
  parts: readonly GitOpsPart[],
  more: StartPorts,
): Promise<AsyncDisposable> {
  await using stops = new AsyncDisposableStack();
  for (const part of parts) await part.start?.(more, stops);
  return stops.move();
}
