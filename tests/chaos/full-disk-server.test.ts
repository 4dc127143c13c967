// A server whose disk becomes full: each refused write is answered with 507, reads and health
// checks continue, and writes succeed without a restart after space was freed.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { fillDisk, openDisk } from "./disk.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const valueBytes = 200_000;
const mostWrites = 500;

test("a server on a full disk answers 507, stays up and recovers", async (t) => {
  await using disk = await openDisk(64, (why) => t.diagnostic(`NOT TESTED: full disk: ${why}`));
  if (disk === undefined) return;
  await using server = await startSetpoint({ data: join(disk.path, "data") });
  assert.equal((await create(server, "before")).status, 201);
  const { pid } = server;
  const ballast = join(disk.path, "ballast");
  await fillDisk(ballast);

  const created = ["before"];
  let refused = await create(server, "first");
  for (let count = 0; refused.status === 201 && count < mostWrites; count++) {
    created.push(refused.name);
    refused = await create(server, `more-${count}`);
  }
  assert.equal(refused.status, 507, JSON.stringify(refused.body));
  assert.equal(refused.body["kind"], "Status");
  assert.equal(refused.body["reason"], "InsufficientStorage");
  assert.equal(refused.body["code"], 507);
  assert.match(String(refused.body["message"]), /disk under the database is full/);
  assert.match(refused.retryAfter, /^[1-9]\d*$/);

  const many = Array.from({ length: 20 }, (_, index) => create(server, `many-${index}`));
  for (const { status, name } of await Promise.all(many)) {
    if (status === 201) created.push(name);
    else assert.equal(status, 507);
  }
  assert.equal((await server.ask("/livez")).status, 200);
  assert.equal((await server.ask(`${maps}/before`)).status, 200);
  assert.equal(server.pid, pid, "the same process");

  await rm(ballast);
  await waitUntil("a write to succeed after space was freed", async () => {
    const { status } = await create(server, "after");
    return status === 201 || status === 409;
  });
  assert.equal((await server.ask("/readyz")).status, 200);
  assert.equal(server.pid, pid, "the same process");
  const { body } = await server.ask(maps);
  const { items } = JSON.parse(body.toString()) as { items: { metadata: { name: string } }[] };
  const names = items.map(({ metadata }) => metadata.name).filter((name) => !name.includes("kube"));
  assert.deepEqual(names.toSorted(), [...created, "after"].toSorted());
});

interface Created {
  readonly name: string;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfter: string;
}

async function create(server: Setpoint, name: string): Promise<Created> {
  const body = { metadata: { name }, data: { value: "v".repeat(valueBytes) } };
  const answer = await server.ask(maps, { method: "POST", body });
  const found = JSON.parse(answer.body.toString()) as Record<string, unknown>;
  const retryAfter = String(answer.headers["retry-after"] ?? "");
  return { name, status: answer.status, body: found, retryAfter };
}
