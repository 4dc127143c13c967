import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { FairTurns } from "../../kernel/fair-turns.ts";
import { limits } from "../../kernel/limits.ts";
import type { ListQuery, Page } from "../port.ts";
import { LaterPages } from "./later-pages.ts";

const pages = 10;
const full: Page = { revision: 1, records: [], next: { revision: 1, namespace: "n", name: "a" } };
const last: Page = { revision: 1, records: [] };

/** Reads all pages in a loop without pauses. */
async function readAll(later: LaterPages, namespace: string, read: () => void): Promise<void> {
  let from: ListQuery["from"];
  for (let at = 1; at <= pages; at++) {
    const query = { kind: "maps", namespace, ...(from === undefined ? {} : { from }) };
    const page = await later.read(query, () => {
      read();
      return at === pages ? last : full;
    });
    from = page.next;
  }
}

test("other work runs between the pages of a list that is read in a loop", async () => {
  const planned: (() => void)[] = [];
  const later = new LaterPages(
    new FairTurns({ budget: limits.maxPageBytes, later: (run) => void planned.push(run) }),
  );
  let read = 0;
  const reading = readAll(later, "one", () => void (read += 1));
  for (let turn = 0; turn < pages; turn++) {
    // What follows a page without a turn of the event loop.
    for (let at = 0; at < 20; at++) await Promise.resolve();
    // In the first turn also the first page.
    equal(read, Math.min(pages, turn + 2));
    for (const run of planned.splice(0)) run();
  }
  await reading;
});

test("lists of different namespaces take turns", async () => {
  const later = new LaterPages();
  const order: string[] = [];
  const of = (namespace: string): Promise<void> =>
    readAll(later, namespace, () => void order.push(namespace));
  await Promise.all([of("a"), of("a"), of("a"), of("b")]);
  const ofB = order.flatMap((namespace, at) => (namespace === "b" ? [at] : []));
  ok((ofB.at(-1) ?? 0) < 2 * pages + 4, ofB.join(" "));
});

test("an error of a page ends the reading of its list alone", async () => {
  const later = new LaterPages();
  const from = { revision: 1, namespace: "n", name: "a" };
  const failing = async (): Promise<Page> =>
    await later.read({ kind: "maps", from }, () => {
      throw new Error("damaged");
    });
  await rejects(failing, /damaged/);
  deepEqual(await later.read({ kind: "maps", from }, () => last), last);
  equal(
    later.read({ kind: "maps" }, () => last),
    last,
  );
});
