// A reporter of node:test: one line for each file with a failed test, which `npm test` runs again.
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { root } from "./stages.ts";

export default async function* failedFiles(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const seen = new Set<string>();
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.file === undefined || seen.has(data.file)) continue;
    seen.add(data.file);
    yield `${relative(root, data.file)}\n`;
  }
}
