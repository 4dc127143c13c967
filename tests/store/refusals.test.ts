/** Both engines refuse in the same words: which name, which counter, and who is in the way. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { key, put } from "../../src/store/contract/samples.ts";
import type { StoreHarness } from "../../src/store/contract/harness.ts";
import type { Write } from "../../src/store/port.ts";
import { openOnFile } from "../../src/store/sqlite/harness.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { openForTest } from "./postgres-for-test.ts";

let server: Postgres;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

const dns = { scope: "dns", name: "a.example" };
const engines: readonly (readonly [string, () => Promise<StoreHarness>])[] = [
  ["sqlite", async () => await openOnFile()],
  ["postgres", async () => await openForTest(server)],
];

for (const [name, open] of engines) {
  describe(`a refusal of ${name}`, () => {
    const refused = async (harness: StoreHarness, write: Write) => {
      const [answer] = await harness.store.commit([write]);
      assert(answer?.kind === "refused");
      return { message: answer.error.message, details: answer.error.details };
    };

    it("says which name is taken, and by whom", async () => {
      await using harness = await open();
      await harness.store.commit([put(key("a"), { names: [dns] })]);
      const free = { scope: "dns", name: "free.example" };
      assert.deepEqual(await refused(harness, put(key("b"), { names: [free, dns] })), {
        message: "a.example is taken in dns by widgets.test/team/a",
        details: { ...dns, holder: key("a") },
      });
    });

    it("says that a name is taken by who is at home", async () => {
      await using harness = await open();
      const home = { scope: "paths", name: "/a", home: key("a") };
      await harness.store.commit([put(key("a"), { names: [home] })]);
      assert.deepEqual(await refused(harness, put(key("b"), { names: [home] })), {
        message: "/a is taken in paths by widgets.test/team/a",
        details: { scope: "paths", name: "/a", holder: key("a") },
      });
    });

    it("says which bound is set already, and by whom", async () => {
      await using harness = await open();
      await harness.store.commit([put(key("a"), { bounds: [{ counter: "cpu", max: 5 }] })]);
      assert.deepEqual(
        await refused(harness, put(key("b"), { bounds: [{ counter: "cpu", max: 9 }] })),
        {
          message: "the limit of cpu is set by widgets.test/team/a",
          details: { counter: "cpu", holder: key("a") },
        },
      );
    });

    it("says all that is wrong with a group, as if its other writes were applied", async () => {
      await using harness = await open();
      const taker = put(key("a"), { names: [dns], uses: [{ counter: "cpu", amount: 1 }] });
      const bounder = put(key("b"), { names: [dns], bounds: [{ counter: "cpu", max: 0 }] });
      const answers = await harness.store.commit([taker, bounder], { atomic: true });
      assert.deepEqual(
        answers.map((answer) => (answer.kind === "refused" ? answer.error.code : answer.kind)),
        ["counter.exceeded", "name.taken"],
      );
    });

    it("says which counter would exceed its bound, and by how much", async () => {
      await using harness = await open();
      await harness.store.commit([put(key("a"), { bounds: [{ counter: "cpu", max: 5 }] })]);
      await harness.store.commit([put(key("b"), { uses: [{ counter: "cpu", amount: 3 }] })]);
      assert.deepEqual(
        await refused(harness, put(key("c"), { uses: [{ counter: "cpu", amount: 4 }] })),
        {
          message: "cpu would be 7, above its limit of 5",
          details: { counter: "cpu", value: 7, max: 5 },
        },
      );
    });
  });
}
