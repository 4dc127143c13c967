import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "../../kernel/pauses.ts";
import type { ListQuery, Page } from "../../store/port.ts";
import { allPages } from "./all-pages.ts";

const count = 5;

/** Pages without records, as of a selector that matches nothing. */
function emptyPages(): { readonly store: Store; readonly asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = [];
  const list = (query: ListQuery): Promise<Page> => {
    asked.push(query.from?.name);
    const number = asked.length;
    const next = { revision: 1, namespace: "a", name: `n${number}` };
    return Promise.resolve({ revision: 1, records: [], ...(number < count ? { next } : {}) });
  };
  return { store: { list }, asked };
}

type Store = Parameters<typeof allPages>[0];

test("every page is read, and another tenant has a turn between them", async () => {
  const { store, asked } = emptyPages();
  let pagesBefore = 0;
  let pages = 0;
  const other = nextTurn("b").then(() => (pagesBefore = pages));
  for await (const page of allPages(store, { kind: "widgets" }, "a")) pages += page.revision;
  await other;
  equal(pages, count);
  deepEqual(asked, [undefined, "n1", "n2", "n3", "n4"]);
  ok(pagesBefore < count, `${pagesBefore} pages were read before`);
});
