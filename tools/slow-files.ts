// A reporter of node:test: lists the files of a run that took longest, so that a slow one shows.
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { root } from "./stages.ts";

const shown = 15;

export default async function* slowFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { readonly path: string; readonly seconds: number }[] = [];
  for await (const { type, data } of events) {
    if (type !== "test:summary" || data.file === undefined) continue;
    files.push({ path: relative(root, data.file), seconds: data.duration_ms / 1000 });
  }
  if (files.length === 0) return;
  files.sort((a, b) => b.seconds - a.seconds);
  const rows = files
    .slice(0, shown)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${path}`);
  yield `\nThe slowest files:\n${rows.join("\n")}\n`;
}
