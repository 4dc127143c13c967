/**
 * The same searches through the REST API of a server on SQLite and on PostgreSQL: 100,000 resources
 * of environments in 100 namespaces, read as a user. The server has the role api, so that nothing
 * else runs.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hash } from "node:crypto";
import { systemCause } from "../src/kernel/cause.ts";
import { encodeDocument } from "../src/kernel/document.ts";
import { numberAt } from "../src/kernel/json-read.ts";
import type { Json } from "../src/kernel/json.ts";
import { keyRing, parseKeyRing } from "../src/store/key-ring.ts";
import type { Put, Store } from "../src/store/port.ts";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { startPostgres } from "../tests/peers/postgres.ts";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { draws, entries, p95Row, wordsOf } from "./search.ts";
import type { Row } from "./table.ts";

const teams = 100;
const batch = 500;
const kind = "environmentresources.environments.setpoint.dev";
const apiVersion = "environments.setpoint.dev/v1";

export async function servedSearch(folder: string): Promise<readonly Row[]> {
  const sqlite = await onStore("SQLite", join(folder, "search"), undefined);
  await using postgres = await startPostgres();
  const url = postgres.url();
  return [...sqlite, ...(await onStore("PostgreSQL", join(folder, "search-postgres"), url))];
}

async function onStore(
  title: string,
  data: string,
  url: string | undefined,
): Promise<readonly Row[]> {
  const at = url === undefined ? {} : { store: url };
  await using server = await startSetpoint({ data, args: ["--roles", "api"], ...at });
  await grant(server);
  // The embedded store has one process.
  await server.stop();
  await fill(data, url);
  await server.start();
  const next = draws(1);
  const { word } = wordsOf(next);
  const search =
    (text: () => string, more = "") =>
    async (): Promise<void> => {
      const found = await get(server, `/api/v1/search?q=${encodeURIComponent(text())}${more}`);
      if ((numberAt(found, "count") ?? 0) === 0) throw new Error("a search has found nothing");
    };
  const walk = (direction: string) => async (): Promise<void> => {
    const position = next(entries);
    const place = `${nameOf(position)}?namespace=${teamOf(position)}`;
    const more = `direction=${direction}&depth=5&edges=depends-on`;
    await get(server, `/api/v1/search/graph/resources/${place}&${more}`);
  };
  const row = (what: string, run: () => Promise<unknown>): Promise<Row> =>
    p95Row(`${title}, through the REST API: ${what}`, run);
  // The first search fills the index.
  await search(() => "service")();
  return [
    await row("a rare word", search(word)),
    await row(
      "two common words",
      search(() => "service production"),
    ),
    await row(
      "a common word in two namespaces",
      asReader(server, () => "service"),
    ),
    await row(
      "a part of a common word",
      search(() => "roducti"),
    ),
    await row("five levels of dependencies", walk("dependencies")),
    await row("five levels of dependants", walk("dependants")),
  ];
}

async function get(
  server: Setpoint,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Json> {
  const { status, body } = await server.ask(path, { headers });
  if (status !== 200) throw new Error(`${path}: ${status} ${body.toString().slice(0, 500)}`);
  return JSON.parse(body.toString()) as Json;
}

const reader = "reader";

function asReader(server: Setpoint, text: () => string): () => Promise<void> {
  return async () => {
    const path = `/api/v1/search?q=${encodeURIComponent(text())}`;
    const found = await get(server, path, { "impersonate-user": reader });
    const count = numberAt(found, "count") ?? 0;
    if (count === 0) throw new Error("the reader has found nothing");
  };
}

/** The reader may list what is in two namespaces. */
async function grant(server: Setpoint): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  for (const name of ["team-7", "team-8"]) {
    await post(server, "/api/v1/namespaces", { metadata: { name } });
    await post(server, `/apis/${rbac}/v1/namespaces/${name}/rolebindings`, {
      metadata: { name: "readers" },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: rbac, kind: "User", name: reader }],
    });
  }
}

async function post(server: Setpoint, path: string, body: unknown): Promise<void> {
  const answer = await server.ask(path, { method: "POST", body });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.body.toString().slice(0, 500)}`);
}

async function fill(data: string, url: string | undefined): Promise<void> {
  const keys = keyRing(parseKeyRing(await readFile(join(data, "keys.json"), "utf8")));
  const store: Store & { close(): Promise<void> } =
    url === undefined
      ? await openSqliteStore({ path: join(data, "setpoint.db"), keys })
      : await openPostgresStore({ url, keys });
  const next = draws(1);
  const { word } = wordsOf(next);
  for (let from = 0; from < entries; from += batch) {
    const writes = Array.from({ length: batch }, (_, n) => creation(from + n, word, next));
    for (const answer of await store.commit(writes)) {
      if (answer.kind === "refused") throw answer.error;
    }
  }
  await store.close();
}

/** Dependencies are in the same namespace: positions that differ by a multiple of the teams. */
function creation(at: number, word: () => string, next: (below: number) => number): Put {
  const [name, namespace] = [nameOf(at), teamOf(at)];
  const uid = hash("md5", name, "hex");
  const dependsOn = [1 + next(20), 1 + next(20)]
    .map((distance) => at - distance * teams)
    .filter((position) => position >= 0)
    .map(nameOf);
  const creationTimestamp = "2026-01-01T00:00:00Z";
  const body = encodeDocument({
    apiVersion,
    kind: "EnvironmentResource",
    metadata: { name, namespace, uid, generation: 1, creationTimestamp },
    spec: {
      environment: `e${Math.floor(at / teams)}`,
      template: "t.v1",
      key: "r",
      name: word(),
      description: `service in the production cluster ${word()} ${word()}`,
      tags: { team: "payments", stage: String(at % 3) },
      dependsOn: [...new Set(dependsOn)],
    },
    status: { state: "Ready" },
  });
  return {
    kind: "put",
    key: { kind, namespace, name },
    uid,
    draft: { body, terms: [], secrets: [] },
    when: { kind: "absent" },
    cause: systemCause,
  };
}

function nameOf(at: number): string {
  return `r${at}`;
}

function teamOf(at: number): string {
  return `team-${at % teams}`;
}
