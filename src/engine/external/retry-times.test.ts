import assert from "node:assert/strict";
import { it } from "node:test";
import { seededRandom } from "../../kernel/random.ts";
import { createComeback } from "./retry-times.ts";

const startMs = 1_000_000;
const hopeMs = startMs + 5_000;

it("ten thousand of one namespace come back at about fifty in a second", () => {
  const comeback = createComeback({ random: seededRandom(1) });
  const times = Array.from({ length: 10_000 }, () => comeback.next("a", hopeMs, startMs));
  const perSecond = new Map<number, number>();
  for (const atMs of times) {
    assert.ok(atMs >= hopeMs && atMs <= hopeMs + 300_000);
    const second = Math.floor(atMs / 1_000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  assert.ok(Math.max(...perSecond.values()) <= 75);
});

it("whoever has one resource does not wait behind ten thousand of another", () => {
  const comeback = createComeback({ random: seededRandom(2) });
  for (let at = 0; at < 10_000; at++) comeback.next("a", hopeMs, startMs);
  assert.ok(comeback.next("b", hopeMs, startMs) <= hopeMs + 100);
});

it("many namespaces together come at a bounded rate, too", () => {
  const comeback = createComeback({ random: seededRandom(3) });
  const times = Array.from({ length: 5_000 }, (_, at) =>
    comeback.next(`n${at % 500}`, hopeMs, startMs),
  );
  const first = times.filter((atMs) => atMs < hopeMs + 10_000);
  assert.ok(first.length < 1_200, `${first.length} came within ten seconds`);
});

it("nobody is sent further away than five minutes, however many there are", () => {
  const comeback = createComeback({ random: seededRandom(4) });
  const times = Array.from({ length: 50_000 }, () => comeback.next("a", hopeMs, startMs));
  assert.ok(Math.max(...times) <= hopeMs + 300_000);
});

it("begins anew when the moments that it gave away are over", () => {
  const comeback = createComeback({ random: seededRandom(5) });
  for (let at = 0; at < 1_000; at++) comeback.next(`n${at}`, hopeMs, startMs);
  const laterMs = startMs + 3_600_000;
  assert.ok(comeback.next("a", laterMs, laterMs) <= laterMs + 30);
});

it("sends nobody far away because the clock was set back", () => {
  for (const backMs of [7_200_000, 200_000, 10_000]) {
    const comeback = createComeback({ random: seededRandom(6) });
    for (let at = 0; at < 100; at++) comeback.next("a", hopeMs + backMs, startMs + backMs);
    const soonMs = startMs + 1_000;
    assert.ok(comeback.next("a", soonMs, startMs) <= soonMs + 30, `${backMs} ms back`);
    // From then on they come one after the other as before.
    const times = Array.from({ length: 100 }, () => comeback.next("a", soonMs, startMs));
    assert.ok(Math.max(...times) > soonMs + 1_500);
  }
});
