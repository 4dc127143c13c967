import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLines } from "./lines.ts";

test("documents are found wherever the chunks are cut", async () => {
  const text = '{"a":"é"}\n{"b":2}\n\n{"c":3}';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) {
          controller.enqueue(bytes.slice(at, at + size));
        }
        controller.close();
      },
    });
    const found: unknown[] = [];
    for await (const document of jsonLines(chunks)) found.push(document);
    assert.deepEqual(found, [{ a: "é" }, { b: 2 }, { c: 3 }]);
  }
});
