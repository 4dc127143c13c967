import assert from "node:assert/strict";
import { it } from "node:test";
import type { Change } from "../../store/port.ts";
import { FrameCache } from "./frame-cache.ts";

function change(bytes = 10): Change {
  return { body: Buffer.alloc(bytes) } as Change;
}

it("a frame is made once for each change and key", () => {
  const cache = new FrameCache();
  const [one, other] = [change(), change()];
  const make = (): Buffer => Buffer.from("frame");
  const frame = cache.share(one, "table", make);
  assert.equal(cache.share(one, "table", make), frame);
  assert.equal(cache.made, 1);
  void cache.share(one, "object", make);
  void cache.share(other, "table", make);
  assert.equal(cache.made, 3);
});

it("a frame that takes longer is waited for together, and is a buffer afterwards", async () => {
  const cache = new FrameCache();
  const one = change();
  const slow = Promise.withResolvers<Buffer>();
  const waiting = Array.from({ length: 3 }, () => cache.share(one, "table", () => slow.promise));
  assert.equal(cache.made, 1);
  slow.resolve(Buffer.from("frame"));
  const frames = await Promise.all(waiting.map(async (frame) => await frame));
  assert.ok(frames.every((frame) => frame === frames[0]));
  assert.equal(
    cache.share(one, "table", () => assert.fail("it is known")),
    frames[0],
  );
});

it("a frame that could not be made is tried again", async () => {
  const cache = new FrameCache();
  const one = change();
  const failing = async (): Promise<Buffer> => await Promise.reject(new Error("no converter"));
  await assert.rejects(async () => await cache.share(one, "table", failing), /no converter/);
  const frame = Buffer.from("frame");
  assert.equal(
    cache.share(one, "table", () => frame),
    frame,
  );
});

it("the bytes that are kept are bounded, and the newest frame is always kept", () => {
  const cache = new FrameCache(1_000);
  const changes = Array.from({ length: 20 }, () => change(50));
  for (const each of changes) void cache.share(each, "object", () => Buffer.alloc(50));
  assert.equal(cache.bytes, 1_000);
  const isKept = (each: Change): boolean => {
    let isMade = false;
    void cache.share(each, "object", () => {
      isMade = true;
      return Buffer.alloc(0);
    });
    return !isMade;
  };
  assert.deepEqual(changes.slice(10).map(isKept), Array(10).fill(true));
  const large = change(5_000);
  void cache.share(large, "object", () => Buffer.alloc(5_000));
  assert.deepEqual([isKept(large), cache.bytes], [true, 10_000]);
});
