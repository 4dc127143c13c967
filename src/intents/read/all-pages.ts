// All pages of a query, for work that needs every record. Reading a page and working on it blocks
// the event loop, so after many bytes other requests run, and tenants take turns. A page with a
// next one counts, although it may be empty: the store has looked at records that are not in it.

import { limits } from "../../kernel/limits.ts";
import { bytePauses } from "../../kernel/pauses.ts";
import type { ListQuery, Page, Store } from "../../store/port.ts";

export async function* allPages(
  store: Pick<Store, "list">,
  query: ListQuery,
  tenant: string,
): AsyncGenerator<Page> {
  const pauses = bytePauses(tenant);
  let page = await store.list(query);
  for (;;) {
    yield page;
    if (page.next === undefined) return;
    const bytes = page.records.reduce((sum, { body }) => sum + body.length, 0);
    const waiting = pauses(Math.max(bytes, limits.minSlicedBytes));
    if (waiting !== undefined) await waiting;
    page = await store.list({ ...query, from: page.next });
  }
}
