// Frames as servers send them, cut anywhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { FrameProblem, clientFrame, frameReader } from "./websocket-frames.ts";
import type { Message } from "./websocket-frames.ts";

const codes = { continued: 0, text: 1, ping: 9, close: 8 };

function serverFrame(code: number, data: Buffer, isFinal = true): Buffer {
  const first = (isFinal ? 0x80 : 0) | code;
  const { length } = data;
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), data]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head.writeUInt8(first, 0);
  head.writeUInt8(length < 65_536 ? 126 : 127, 1);
  if (length < 65_536) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, data]);
}

test("messages are the same wherever the bytes and the frames are cut", () => {
  const texts = fc.array(fc.string({ maxLength: 300 }), { maxLength: 5 });
  const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(texts, cuts, (sent, sizes) => {
      const frames = sent.flatMap((text) => {
        const data = Buffer.from(text);
        const half = data.length >> 1;
        return [
          serverFrame(codes.text, data.subarray(0, half), false),
          serverFrame(codes.ping, Buffer.from("x")),
          serverFrame(codes.continued, data.subarray(half)),
        ];
      });
      const bytes = Buffer.concat(frames);
      const reader = frameReader(10_000);
      const found: Message[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        found.push(...reader.push(bytes.subarray(at, at + size)));
        at += size;
      }
      const read = found.flatMap((message) => (message.kind === "text" ? [message.text] : []));
      assert.deepEqual(read, sent);
      assert.equal(found.length, sent.length * 2);
    }),
  );
});

test("long messages are read, and too long ones are not collected", () => {
  const long = "x".repeat(70_000);
  const frame = serverFrame(codes.text, Buffer.from(long));
  assert.deepEqual(frameReader(100_000).push(frame), [{ kind: "text", text: long }]);
  assert.throws(() => frameReader(1_000).push(frame.subarray(0, 20)), FrameProblem);
  const reader = frameReader(1_000);
  reader.push(serverFrame(codes.text, Buffer.alloc(0), false));
  const more = serverFrame(codes.continued, Buffer.alloc(0), false);
  assert.throws(() => {
    for (let turn = 0; turn < 100; turn++) reader.push(more);
  }, FrameProblem);
});

test("what is no frame of a server ends the connection", () => {
  const wrong: readonly Buffer[] = [
    Buffer.from([0xc1, 0x00]),
    Buffer.from([0x81, 0x80]),
    Buffer.from([0x83, 0x00]),
    Buffer.from([0x80, 0x00]),
    Buffer.from([0x09, 0x00]),
    Buffer.from([0x89, 0x7e, 0x00, 0x7e]),
    Buffer.concat([serverFrame(codes.text, Buffer.alloc(0), false), Buffer.from([0x81, 0])]),
  ];
  for (const bytes of wrong) {
    assert.throws(() => frameReader(1_000).push(bytes), FrameProblem, bytes.toString("hex"));
  }
});

test("what a client sends is masked", () => {
  const mask = Uint8Array.from([1, 2, 3, 4]);
  const frame = clientFrame("pong", Buffer.from("abcde"), mask);
  assert.equal(frame.toString("hex"), "8a85010203046060606064");
});
