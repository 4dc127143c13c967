import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { selectRange } from "./selection.ts";

async function selected(values: readonly number[], from: number, to: number): Promise<number[]> {
  const compare = (one: number, other: number): number =>
    (values[one] ?? 0) - (values[other] ?? 0) || one - other;
  const wanted = { count: values.length, compare, from, to, pause: () => undefined };
  return Array.from(await selectRange(wanted), (at) => values[at] ?? Number.NaN);
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

describe("a selected range", () => {
  it("equals the same range of a full sort", async () => {
    const values = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 500 });
    await fc.assert(
      fc.asyncProperty(values, fc.nat(520), fc.nat(520), async (all, from, length) => {
        const expected = sorted(all).slice(from, from + length);
        assert.deepEqual(await selected(all, from, from + length), expected);
      }),
    );
  });

  it("is right for orders that are bad for a pivot", async () => {
    const count = 5_000;
    const ascending = Array.from({ length: count }, (_, at) => at);
    const shapes = [
      ascending,
      ascending.toReversed(),
      ascending.map(() => 7),
      ascending.map((at) => at % 2),
      ascending.map((at) => (at < count / 2 ? at : count - at)),
      ascending.map((at) => (at * 7_919) % count),
    ];
    for (const values of shapes) {
      assert.deepEqual(await selected(values, 4_400, 4_450), sorted(values).slice(4_400, 4_450));
    }
  });

  it("needs a few passes, and pauses between them", async () => {
    const values = Array.from({ length: 20_000 }, (_, at) => (at * 7_919) % 20_000);
    let [compared, pauses] = [0, 0];
    const compare = (one: number, other: number): number => {
      compared += 1;
      return (values[one] ?? 0) - (values[other] ?? 0);
    };
    const pause = (): undefined => {
      pauses += 1;
    };
    await selectRange({ count: values.length, compare, from: 10_000, to: 10_100, pause });
    assert.ok(compared < 8 * values.length, `${compared} comparisons`);
    assert.ok(pauses > 3, `${pauses} pauses`);
  });
});
