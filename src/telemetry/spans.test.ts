import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import { seededRandom } from "../kernel/random.ts";
import { isSpanId, newTraceId } from "../kernel/trace-context.ts";
import { createSpans, derivedSpanId, isRecorded } from "./spans.ts";
import type { EndedSpan } from "./spans.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

function recording(ratio = 1) {
  const clock = manualClock(1_000);
  const ended: EndedSpan[] = [];
  const onEnd = (span: EndedSpan): void => void ended.push(span);
  const elapsedMs = (): number => clock.nowMs();
  const spans = createSpans({ clock, random: seededRandom(1), elapsedMs, ratio, onEnd });
  return { clock, ended, spans };
}

test("a span has its start, its length and the attributes of both ends, once", () => {
  const { clock, ended, spans } = recording();
  const span = spans.start({ name: "a", kind: "server", traceId, attributes: { x: 1 } });
  clock.advanceMs(5);
  span?.end({ attributes: { y: "2" }, error: "no" });
  span?.end();
  assert.equal(ended.length, 1);
  const [{ spanId, ...rest } = assert.fail()] = ended;
  assert.ok(isSpanId(spanId));
  assert.deepEqual(rest, {
    traceId,
    parentSpanId: undefined,
    name: "a",
    kind: "server",
    startMs: 1_000,
    durationMs: 5,
    attributes: { x: 1, y: "2" },
    error: "no",
  });
});

test("the code inside of a span finds it, also after waiting, and others do not", async () => {
  const { spans } = recording();
  const one = spans.start({ name: "one", kind: "internal", traceId });
  const two = spans.start({ name: "two", kind: "internal", traceId });
  assert(one !== undefined && two !== undefined);
  const found = await Promise.all(
    [one, two].map((span) =>
      spans.within(span, async () => {
        await Promise.resolve();
        return spans.current();
      }),
    ),
  );
  assert.deepEqual(found, [one.context, two.context]);
  assert.equal(spans.current(), undefined);
});

test("about the given share of traces is recorded, and the same ones by every process", () => {
  const random = seededRandom(7);
  const ids = Array.from({ length: 4_000 }, () => newTraceId(random));
  const share = ids.filter((id) => isRecorded(id, 0.25)).length / ids.length;
  assert(share > 0.22 && share < 0.28, String(share));
  assert.ok(ids.every((id) => isRecorded(id, 1) && !isRecorded(id, 0)));
  const { spans } = recording(0);
  assert.equal(spans.start({ name: "a", kind: "internal", traceId }), undefined);
});

test("a derived id is a span id, and differs for each revision, claim and trace", () => {
  const counts = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 52];
  const ids = [traceId, "0".repeat(31) + "1"].flatMap((id) =>
    counts.flatMap((count) => [
      derivedSpanId(id, "commit", count),
      derivedSpanId(id, "run", count),
    ]),
  );
  assert.ok(ids.every(isSpanId));
  assert.equal(new Set(ids).size, ids.length);
});
