// Azure's clients wait on while the server is killed in the middle of what they wait for: it goes
// on after a restart, or on another server on the same database, and their pollers end as if
// nothing had happened. So does one that was written down before the crash.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { findPostgres } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { pick } from "../kube/server.ts";
import { startBalancer } from "../peers/balancer.ts";
import { claimsLost, withoutLost } from "../peers/claims-lost.ts";
import { startPostgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { within } from "../peers/wait.ts";
import { managerName, subscription } from "./arm-server.ts";
import { genericClient, longRunning, modularClient } from "./azure-clients.ts";
import type { Endpoint } from "./azure-clients.ts";
import { kilnFor, kilnVersion as version } from "./kiln.ts";
import type { Kiln } from "./kiln.ts";

const patience = { limitMs: 120_000 };

let folder = "";
let config = "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-azure-"));
  config = join(folder, "setpoint.yaml");
  const settings = {
    modules: [join(root, "tests/arm/kiln-module.ts")],
    // Long enough that nobody but the dead loses one: what is begun again is counted.
    engine: { lease: "6s", grace: "1s" },
    arm: { clients: [managerName], retryAfter: 1 },
  };
  await writeFile(config, JSON.stringify(settings));
});

after(async () => await rm(folder, { recursive: true, force: true }));

async function register(server: Setpoint): Promise<void> {
  const path = `/subscriptions/${subscription}?api-version=2.0`;
  const { status, body } = await server.ask(path, { method: "PUT", body: { state: "Registered" } });
  assert.equal(status, 200, body.toString());
}

/** As the resource manager; a server that starts again is waited for. */
function endpointAt(url: string, server: Setpoint): Endpoint {
  const options = { folder: server.folder, clock: systemClock, random: systemRandom };
  const issued = openAuthority(options).issueClientCertificate({
    name: managerName,
    groups: [],
    days: 1,
  });
  const credentials = { kind: "client certificate", ...issued } as const;
  return { url, ca: server.ca, credentials, maxRetries: 200 };
}

interface Waiting {
  readonly kilns: readonly Kiln[];
  /** Once every client has what it waited for. */
  readonly ended: () => Promise<void>;
}

/** Three who wait for a creation, each in its own way, in the middle of it. */
async function beginThree(endpoint: Endpoint, held: AsyncDisposableStack): Promise<Waiting> {
  const kilns: Kiln[] = [];
  for (const name of ["generic", "modular", "written"]) {
    kilns.push(held.use(await kilnFor(name)));
  }
  const [generic, modular, written] = kilns;
  assert.ok(generic !== undefined && modular !== undefined && written !== undefined);
  const { client } = modularClient(endpoint, version);
  const { resources } = genericClient(endpoint).client;
  const waiting: Promise<unknown>[] = [
    resources.beginCreateOrUpdateByIdAndWait(generic.path, version, generic.body()),
    longRunning(client, "put", modular.path, { request: { body: modular.body() } }).pollUntilDone(),
  ];
  const begun = longRunning(client, "put", written.path, { request: { body: written.body() } });
  const restoreFrom = await begun.serialize();
  for (const kiln of kilns) await kiln.begun("fire");
  return {
    kilns,
    ended: async () => {
      const other = modularClient(endpoint, version);
      waiting.push(longRunning(other.client, "put", "", { restoreFrom }).pollUntilDone());
      const made = await within("the pollers to end", Promise.all(waiting), patience);
      const states = made.map((each) => pick(each, "properties.provisioningState"));
      assert.deepEqual(states, ["Succeeded", "Succeeded", "Succeeded"]);
    },
  };
}

/** What was begun and not done is begun again, and nothing else but where a claim was lost. */
async function expectSteps(
  kiln: Kiln,
  expected: readonly string[],
  lost: number,
  from = 0,
): Promise<void> {
  const steps = (await kiln.steps()).slice(from);
  assert.deepEqual(
    withoutLost(steps, expected, lost),
    expected,
    `${kiln.path}: ${steps.join()}, ${lost} lost`,
  );
}

async function survives(server: Setpoint): Promise<void> {
  await using held = new AsyncDisposableStack();
  await register(server);
  const endpoint = endpointAt(server.url, server);
  const { kilns, ended } = await beginThree(endpoint, held);
  let lost = await claimsLost(server);
  await server.kill9();
  await server.start();
  for (const kiln of kilns) {
    await kiln.begunBy("fire", server.pid);
    await kiln.open("build");
  }
  await ended();
  lost += await claimsLost(server);
  for (const kiln of kilns) await expectSteps(kiln, ["dig", "fire", "fire", "test"], lost);

  const [kiln] = kilns;
  assert.ok(kiln !== undefined);
  const { resources } = genericClient(endpoint).client;
  const built = (await kiln.steps()).length;
  const removed = resources.beginDeleteByIdAndWait(kiln.path, version);
  await kiln.begun("cool");
  lost = await claimsLost(server);
  await server.kill9();
  await server.start();
  await kiln.begunBy("cool", server.pid);
  await kiln.open("removal");
  await within("the deletion to end", removed, patience);
  assert.equal((await resources.checkExistenceById(kiln.path, version)).body, false);
  lost += await claimsLost(server);
  await expectSteps(kiln, ["empty", "cool", "cool", "raze"], lost, built);
}

describe("Azure's clients wait on when a server is killed", { concurrency: true }, () => {
  it("and starts again on the same folder", async () => {
    await using server = await startSetpoint({ args: ["--config", config] });
    await survives(server);
  });

  const skip = findPostgres() === undefined;
  it("and starts again on the same PostgreSQL", { skip }, async () => {
    await using postgres = await startPostgres();
    const store = postgres.url(await postgres.createDatabase());
    await using server = await startSetpoint({ store, args: ["--config", config] });
    await survives(server);
  });

  it("and another takes over the work it was doing", { skip }, async () => {
    await using held = new AsyncDisposableStack();
    const postgres = held.use(await startPostgres());
    const store = postgres.url(await postgres.createDatabase());
    const args = ["--config", config];
    const a = held.use(await startSetpoint({ store, args }));
    // Both are signed by one authority, as servers behind one name are.
    const data = join(folder, "second");
    await mkdir(data);
    for (const file of ["ca.key", "ca.crt"]) await cp(join(a.folder, file), join(data, file));
    const keys = join(a.folder, "keys.json");
    const b = held.use(await startSetpoint({ store, data, keys, args }));
    await register(a);
    const balancer = held.use(await startBalancer([a.url, b.url]));
    const { kilns, ended } = await beginThree(endpointAt(balancer.url, a), held);
    const workers = new Map(
      await Promise.all(kilns.map(async (kiln) => [kiln, await kiln.begun("fire")] as const)),
    );
    const [first] = workers.values();
    const [killed, left] = first === a.pid ? [a, b] : [b, a];
    let lost = await claimsLost(killed);
    await killed.kill9();
    for (const [kiln, pid] of workers) {
      if (pid === first) await kiln.begunBy("fire", left.pid);
      await kiln.open("build");
    }
    await ended();
    lost += await claimsLost(left);
    for (const [kiln, pid] of workers) {
      const again = pid === first ? ["fire"] : [];
      await expectSteps(kiln, ["dig", "fire", ...again, "test"], lost);
    }
  });
});
