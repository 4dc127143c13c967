// Runs a suite on each store: SQLite always, PostgreSQL where it is installed.
import { after, before, describe } from "node:test";
import { findPostgres } from "../../tools/peers.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { createSamples } from "./samples.ts";
import { startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";

/** The server is there once the tests run; its samples have been created. */
export function onEachStore(title: string, suite: (server: () => KubeServer) => void): void {
  for (const kind of ["SQLite", "PostgreSQL"] as const) {
    const skip = kind === "PostgreSQL" && findPostgres() === undefined;
    describe(`${title} (${kind})`, { skip }, () => {
      let postgres: Postgres | undefined;
      let server: KubeServer | undefined;
      before(async () => {
        if (kind === "PostgreSQL") postgres = await startPostgres();
        server = await startKubeServer(postgres === undefined ? {} : { store: postgres.url() });
        await createSamples(server);
      });
      after(async () => {
        await server?.stop();
        await postgres?.[Symbol.asyncDispose]();
      });
      suite(() => {
        if (server === undefined) throw new Error("the server has not been started");
        return server;
      });
    });
  }
}
