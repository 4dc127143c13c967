/** The store contract and the comparison with the model, on a real PostgreSQL. */
import { after, before } from "node:test";
import { randomContract } from "../../src/store/contract/random.ts";
import { storeContract } from "../../src/store/contract/suite.ts";
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

storeContract("postgres", async (options) => await openForTest(server, options), {
  several: true,
  sealed: true,
  bounded: true,
});
randomContract("postgres", async (options) => await openForTest(server, options), { runs: 15 });
