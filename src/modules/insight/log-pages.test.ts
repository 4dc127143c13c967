import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import type { PageMemory } from "../../contract/page-memory.ts";
import type { RoutePorts } from "../../contract/route.ts";
import { readAuditRecords } from "../../intents/audit/audit-records.ts";
import type { Change } from "../../store/port.ts";
import { historyInPages, inTurn, logWithoutDocuments } from "./log-pages.ts";
import { insightRoutes } from "./routes.ts";

const key = { kind: "configmaps", namespace: "team", name: "a" };
const body = Buffer.from("{}");
const facts = { key, uid: "u", atMs: 0, body, terms: [] };
const log: readonly Change[] = [
  { ...facts, revision: 1, type: "created", previous: undefined },
  { ...facts, revision: 2, type: "updated", previous: 1 },
];
const head = { revision: 2, compacted: 0 };

function stored(): { readonly store: Parameters<typeof logWithoutDocuments>[0]; reads: number } {
  const counted = {
    reads: 0,
    store: {
      head: () => Promise.resolve(head),
      changes: () => {
        counted.reads++;
        return Promise.resolve({ ...head, changes: log, through: 2 });
      },
      history: () => {
        counted.reads++;
        return Promise.resolve(log.toReversed());
      },
    },
  };
  return counted;
}

function recorded(): { readonly steps: string[]; readonly pages: PageMemory } {
  const steps: string[] = [];
  const pages: PageMemory = {
    before: () => void steps.push("before"),
    after: (bytes) => void steps.push(bytes > 0 ? "after" : "after nothing"),
    drop: () => void steps.push("drop"),
  };
  return { steps, pages };
}

test("audit records have memory and a turn for each page, and hold no documents", async () => {
  const { steps, pages } = recorded();
  const read = logWithoutDocuments(stored().store, pages);
  equal((await readAuditRecords(read, {})).records.length, 2);
  deepEqual(steps, ["before", "after", "drop"]);
  const { changes } = await read.changes(0, 10);
  const all = [...changes, ...(await read.history(key))];
  equal(all.length, 4);
  ok(all.every((change) => change.body.length === 0));
});

test("the log is not read when there is no memory for a page", async () => {
  const refused = new Error("refused");
  const pages = { ...recorded().pages, before: () => Promise.reject(refused) };
  const counted = stored();
  const read = logWithoutDocuments(counted.store, pages);
  await rejects(read.changes(0, 10), refused);
  await rejects(read.history(key), refused);
  const history = historyInPages((options) => counted.store.history(key, options), pages);
  await rejects(history({}), refused);
  equal(counted.reads, 0);
});

test("a comparison of documents waits for a turn and counts their bytes", async () => {
  const { steps, pages } = recorded();
  await inTurn([log[0], undefined], pages, () => Promise.resolve(steps.push("compare")));
  deepEqual(steps, ["before", "compare", "after"]);
});

test("every route that reads is a list or a stream", () => {
  const reads = insightRoutes({} as RoutePorts).filter(({ method }) => method === "GET");
  ok(reads.length >= 7);
  for (const { isList, stream, path } of reads) ok(isList ?? stream ?? false, path);
});
