// Servers that are killed while commands arrive: each command has one effect, and each change its
// event. On SQLite the server is started again; on PostgreSQL a second server takes over.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { listAt, textAt } from "../../src/kernel/json-read.ts";
import type { Json } from "../../src/kernel/json.ts";
import { startPostgres } from "../peers/postgres.ts";
import { passwordOf, startRabbitMq } from "../peers/rabbitmq.ts";
import type { RabbitMq } from "../peers/rabbitmq.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { BusClient } from "./client.ts";

const count = 60;
const namespace = "default";

describe("servers that are killed while commands arrive", () => {
  let broker: RabbitMq;
  let folder: string;

  before(async () => {
    broker = await startRabbitMq();
    folder = mkdtempSync(join(tmpdir(), "setpoint-bus-crash-"));
  });
  after(async () => {
    await broker[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Names of its own on the broker, so that the tests do not see each other. */
  function configured(prefix: string): readonly string[] {
    const credentialsFile = join(folder, "credentials");
    writeFileSync(credentialsFile, `setpoint\n${passwordOf("setpoint")}\n`);
    const bus = {
      url: broker.url,
      credentialsFile,
      users: ["orders=bus-admin"],
      eventsExchange: `${prefix}.events`,
      commandsExchange: `${prefix}.commands`,
      commandsQueue: `${prefix}.commands.v1`,
      deadLetterExchange: `${prefix}.dlx`,
      deadLetterQueue: `${prefix}.dead`,
    };
    const path = join(folder, `${prefix}.json`);
    writeFileSync(path, JSON.stringify({ bus }));
    return ["--config", path];
  }

  async function prepare(server: Setpoint): Promise<void> {
    const apiGroup = "rbac.authorization.k8s.io";
    const binding = {
      metadata: { name: "bus-admin" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup, kind: "User", name: "bus-admin" }],
    };
    const path = `/apis/${apiGroup}/v1/clusterrolebindings`;
    assert.equal((await server.ask(path, { method: "POST", body: binding })).status, 201);
    const resource = {
      key: "settings",
      template: { apiVersion: "v1", kind: "ConfigMap", data: { size: "1" } },
      readyWhen: "true",
    };
    const body = { id: "shop.v1", spec: { id: "shop", version: 1, resources: [resource] } };
    const templates = `/api/v1/templates?namespace=${namespace}`;
    assert.equal((await server.ask(templates, { method: "POST", body })).status, 201);
    for (const use of ["outbox", "inbox"]) {
      await waitUntil(`the ${use} to connect`, async () => {
        const { body: metrics } = await server.ask("/metrics");
        return metrics.includes(`setpoint_bus_connected{use="${use}"} 1`);
      });
    }
  }

  async function environments(server: Setpoint): Promise<readonly string[]> {
    const path = `/api/v1/environments?namespace=${namespace}&limit=1000`;
    const { body } = await server.ask(path);
    return listAt(JSON.parse(body.toString()) as Json, "items").map((each) => textAt(each, "id"));
  }

  async function check(
    prefix: string,
    reader: Setpoint,
    trouble: (n: number) => Promise<void> | undefined,
  ): Promise<void> {
    await using client = await BusClient.open(broker.connect("orders"), "orders");
    const events = await client.bound(`${prefix}.events`, "environment.created.#");
    const content = { query: { namespace }, data: { spec: { templates: ["shop.v1"] } } };
    const ids: string[] = [];
    const troubles: Promise<void>[] = [];
    for (let n = 0; n < count; n++) {
      const messageId = randomUUID();
      const exchange = `${prefix}.commands`;
      await client.send({ command: "environments.create", content, messageId, exchange });
      ids.push(messageId);
      const begun = trouble(n);
      if (begun !== undefined) troubles.push(begun);
    }
    await Promise.all(troubles);
    const replies = await Promise.all(ids.map((id) => client.reply(id)));
    const results = replies.map(({ json }) => textAt(json, "type"));
    assert.deepEqual(new Set(results), new Set(["dev.setpoint.command.accepted"]));
    const found = await environments(reader);
    assert.equal(found.length, count, "each command made one environment");
    const named = (): ReadonlySet<string> =>
      new Set(events.distinct().map((event) => textAt(event, "data", "name")));
    await waitUntil("an event of each environment", () => named().size >= count);
    assert.deepEqual([...named()].sort(), [...found].sort());
    assert.equal(events.distinct().length, count, "an event keeps its id when it is repeated");
  }

  it("SQLite: each command has one effect, and each environment one event id", async () => {
    await using server = await startSetpoint({ args: configured("lite") });
    await prepare(server);
    let earlier = Promise.resolve();
    const restart = async (last: Promise<void>): Promise<void> => {
      await last;
      await server.kill9();
      await server.start();
    };
    await check("lite", server, (n) => {
      if (n !== 15 && n !== 40) return undefined;
      earlier = restart(earlier);
      return earlier;
    });
  });

  it("PostgreSQL: another server takes over commands and events", async () => {
    await using postgres = await startPostgres();
    const store = postgres.url(await postgres.createDatabase());
    const args = configured("post");
    await using first = await startSetpoint({ store, args });
    const keys = join(first.folder, "keys.json");
    await using second = await startSetpoint({ store, keys, args });
    await prepare(first);
    await check("post", second, (n) => (n === 20 ? first.kill9() : undefined));
  });
});
