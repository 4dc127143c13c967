/** Replication between the two databases, in each combination. */
import { after, before } from "node:test";
import type { OpenReplicated } from "../../src/store/contract/harness.ts";
import { promotionContract } from "../../src/store/contract/promotion.ts";
import { randomReplication } from "../../src/store/contract/replication-random.ts";
import { replicationContract } from "../../src/store/contract/replication.ts";
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

const openPostgres: OpenReplicated = async (options) => await openForTest(server, options);

const combinations = [
  ["sqlite", openOnFile, "sqlite", openOnFile],
  ["sqlite", openOnFile, "postgres", openPostgres],
  ["postgres", openPostgres, "sqlite", openOnFile],
  ["postgres", openPostgres, "postgres", openPostgres],
] as const;

for (const [from, openPrimary, to, openSecondary] of combinations) {
  const title = `${from} to ${to}`;
  promotionContract(title, openPrimary, openSecondary);
  replicationContract(title, openPrimary, openSecondary);
  randomReplication(title, openPrimary, openSecondary, 6);
}
