import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { executorLimits } from "../limits.ts";
import { logBuffer, truncatedLine } from "./log-buffer.ts";

describe("the log of a run", () => {
  it("is cut into chunks of whole lines, in order", () => {
    const buffer = logBuffer();
    const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at} ${"x".repeat(40)}`);
    for (const line of lines) buffer.add(line);
    const chunks: string[] = [];
    for (let chunk = buffer.take(false); chunk !== undefined; chunk = buffer.take(false)) {
      chunks.push(chunk);
    }
    const last = buffer.take(true);
    assert.ok(chunks.length > 1);
    for (const chunk of chunks) {
      assert.ok(Buffer.byteLength(chunk) <= executorLimits.maxLogChunkBytes);
    }
    assert.equal(chunks.join("") + (last ?? ""), lines.map((line) => `${line}\n`).join(""));
    assert.equal(buffer.take(true), undefined);
  });

  it("ends with a line about it when it is full", () => {
    const buffer = logBuffer();
    let added = 0;
    while (buffer.add("y".repeat(10_000))) added += 1;
    assert.equal(buffer.add("more"), false);
    assert.ok(added * 10_001 <= executorLimits.maxRunLogBytes);
    let text = "";
    for (let chunk = buffer.take(true); chunk !== undefined; chunk = buffer.take(true)) {
      text += chunk;
    }
    assert.ok(text.endsWith(`${truncatedLine}\n`));
    assert.equal(buffer.isTruncated, true);
  });

  it("cuts a long line between characters", () => {
    const buffer = logBuffer();
    buffer.add("ü".repeat(executorLimits.maxLogLineBytes));
    assert.match(buffer.take(true) ?? "", /^ü+…\n$/);
  });
});
