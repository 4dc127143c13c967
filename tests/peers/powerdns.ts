// A real PowerDNS authoritative server with its HTTP API, on an empty SQLite database. It insists
// on a port for DNS, too, which has the same number on another loopback address.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findPowerDns, powerDnsSchema } from "../../tools/peers.ts";
import { startService } from "./service.ts";
import type { Place, Service } from "./service.ts";

/** What its API wants in the header X-API-Key. */
export const powerDnsKey = "only-for-tests";
/** Where its API begins. */
export const powerDnsBase = "/api/v1";
/** There is exactly one server in a server, and this is its name. */
export const powerDnsServer = `${powerDnsBase}/servers/localhost`;

export async function startPowerDns(): Promise<Service> {
  const command = findPowerDns();
  if (command === undefined) throw new Error("no PowerDNS here: run `npm run peers`");
  return await startService({
    name: "PowerDNS",
    command,
    args: settings,
    prepare: makeDatabase,
    readyPath: `${powerDnsBase}/servers`,
    headers: { "x-api-key": powerDnsKey },
  });
}

function makeDatabase(folder: string): Promise<void> {
  const database = new DatabaseSync(join(folder, "pdns.db"));
  database.exec(readFileSync(powerDnsSchema, "utf8"));
  database.close();
  return Promise.resolve();
}

function settings({ folder, port }: Place): readonly string[] {
  const all = {
    "config-dir": folder,
    "socket-dir": folder,
    launch: "gsqlite3",
    "gsqlite3-database": join(folder, "pdns.db"),
    "gsqlite3-dnssec": "yes",
    // Each write waits for the disk otherwise, which is not what is tested.
    "gsqlite3-pragma-synchronous": "0",
    api: "yes",
    "api-key": powerDnsKey,
    webserver: "yes",
    "webserver-address": "127.0.0.1",
    "webserver-port": String(port),
    "webserver-loglevel": "normal",
    "local-address": "127.0.0.2",
    "local-port": String(port),
    "security-poll-suffix": "",
    "zone-cache-refresh-interval": "0",
    guardian: "no",
    daemon: "no",
    "disable-syslog": "yes",
    "write-pid": "no",
  };
  return Object.entries(all).map(([name, value]) => `--${name}=${value}`);
}
