// Every command of kubectl against a real server on PostgreSQL.
import { after } from "node:test";
import { kubectlPaths } from "../peers/kubectl.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { kubectlSuite } from "./contract/kubectl-suite.ts";

let postgres: Postgres | undefined;

after(async () => await postgres?.[Symbol.asyncDispose]());

const [path] = kubectlPaths();
if (path !== undefined) {
  kubectlSuite({
    title: "PostgreSQL",
    path,
    store: async () => {
      postgres = await startPostgres();
      return postgres.url(await postgres.createDatabase());
    },
  });
}
