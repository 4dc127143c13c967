import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { RevisionSet } from "./revision-set.ts";

describe("a set of revisions", () => {
  it("has what was added and nothing else, as a Set does", () => {
    const revisions = fc.array(fc.oneof(fc.maxSafeNat(), fc.nat(2 ** 21), fc.nat(20)));
    fc.assert(
      fc.property(revisions, revisions, (added, asked) => {
        const set = new RevisionSet();
        for (const revision of added) set.add(revision);
        const expected = new Set(added);
        for (const revision of [...added, ...asked]) {
          assert.equal(set.has(revision), expected.has(revision));
        }
      }),
    );
  });

  it("has more than a Set can", () => {
    const set = new RevisionSet();
    const most = 2 ** 24;
    for (let revision = 1; revision <= most + 1; revision += 1) set.add(revision);
    assert(set.has(1) && set.has(most) && set.has(most + 1));
    assert(!set.has(0) && !set.has(most + 2));
  });
});
