/**
 * The fleet: from the request to a ready instance with a simulated data plane, decisions about
 * placement, and a late page of a long list. The bounds are those of the product, not of a peer.
 */
import { join } from "node:path";
import type { JsonObject } from "../src/kernel/json.ts";
import { textAt } from "../src/kernel/json-read.ts";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { OpenWatch, Setpoint } from "../tests/peers/setpoint.ts";
import { waitUntil } from "../tests/peers/wait.ts";
import { concurrently, median, rate } from "./measure.ts";
import { program } from "./program.ts";
import { boundRow } from "./store.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

const group = "fleet.setpoint.dev";
const dinosaurs = "/apis/dinosaurs.example.dev/v1/namespaces/org-acme/dinosaurs";
const creations = 200;
const listed = 100_000;
const reads = 15;

export async function fleet(folder: string): Promise<readonly Row[]> {
  return [await createToReady(folder), await placement(), await latePage(folder)];
}

async function createToReady(folder: string): Promise<Row> {
  await using server = await startSetpoint({ data: join(folder, "fleet") });
  await declare(server, "simulator");
  using watch = await server.watch(`${dinosaurs}?watch=true`);
  const times: number[] = [];
  for (let at = 0; at < creations; at += 1) {
    const name = `rex-${at}`;
    const startedAt = performance.now();
    await create(server, name);
    await readyIn(watch, name);
    times.push(performance.now() - startedAt);
  }
  return boundRow("fleet on SQLite: create to ready, median", median(times), "ms", 250);
}

async function readyIn(watch: OpenWatch, name: string): Promise<void> {
  await waitUntil(`${name} to be ready`, () =>
    watch.events.some(({ object }) => {
      const { status } = object as unknown as JsonObject;
      return object.metadata.name === name && textAt(status, "phase") === "ready";
    }),
  );
}

/** In a program of the module, because only the module knows its functions. */
async function placement(): Promise<Row> {
  using measured = program("../tools/fleet/placement-rate.ts", []);
  const [, text = ""] = await measured.line(/^(\d+) decisions a second$/);
  const perSecond = Number(text);
  return {
    what: "fleet: placement decisions over 1,000 clusters",
    raw: "",
    ours: figure(perSecond, "/s"),
    result: figure(perSecond, "/s"),
    asked: ">= 5,000 /s",
    isMet: perSecond >= 5_000,
  };
}

/** Without workers: what is listed does not depend on what is reconciled. */
async function latePage(folder: string): Promise<Row> {
  const data = join(folder, "fleet-list");
  const server = await startSetpoint({ data });
  await declare(server, "register");
  await server.stop();
  await server.start(["--roles", "api"]);
  const perSecond = await rate(async () => {
    return await concurrently(64, listed, async (at) => await create(server, `rex-${at}`));
  });
  console.error(`bench: fleet: ${figure(perSecond, "creations/s")}`);
  const path = "/api/dinosaurs_mgmt/v1/admin/dinosaurs";
  const query = "?page=900&size=100&orderBy=created_at%20desc";
  const times: number[] = [];
  for (let at = 0; at <= reads; at += 1) {
    const startedAt = performance.now();
    const { status, body } = await server.ask(`${path}${query}`);
    if (status !== 200) throw new Error(body.toString());
    // The first one loads the rows.
    if (at > 0) times.push(performance.now() - startedAt);
  }
  await server[Symbol.asyncDispose]();
  const what = "fleet: page 900 of 100,000 instances by date, median";
  return boundRow(what, median(times), "ms", 100);
}

async function create(server: Setpoint, name: string): Promise<void> {
  const metadata = { name };
  const spec = { owner: "alice", multiAz: true };
  const body = { apiVersion: "dinosaurs.example.dev/v1", kind: "Dinosaur", metadata, spec };
  const { status, body: answer } = await server.ask(dinosaurs, { method: "POST", body });
  if (status !== 201) throw new Error(answer.toString());
}

async function declare(server: Setpoint, executor: string): Promise<void> {
  const types = [{ name: "standard" }];
  const regions = [{ id: "us-east-1", isDefault: true, types }];
  const quotas = [{ offering: "dinosaurs", type: "standard", max: 1_000_000 }];
  await post(server, "offerings", "Offering", "dinosaurs", {
    instances: { group: "dinosaurs.example.dev", kind: "Dinosaur", plural: "dinosaurs" },
    types: [{ name: "standard", quota: "required" }],
    providers: [{ id: "aws", isDefault: true, regions }],
  });
  await post(server, "organisations", "Organisation", "acme", {
    members: [{ user: "alice" }],
    quotas,
  });
  await post(server, "dataplaneclusters", "DataPlaneCluster", "east-1", {
    provider: "aws",
    region: "us-east-1",
    isMultiAz: true,
    dns: "apps.east-1.example.com",
    executor: { kind: executor },
  });
  await waitUntil("the instances to be served", async () => {
    const { status } = await server.ask(dinosaurs);
    const { body } = await server.ask("/api/v1/namespaces/org-acme");
    return status === 200 && body.includes('"Active"');
  });
}

async function post(
  server: Setpoint,
  plural: string,
  kind: string,
  name: string,
  spec: JsonObject,
): Promise<void> {
  const body = { apiVersion: `${group}/v1`, kind, metadata: { name }, spec };
  const path = `/apis/${group}/v1/${plural}`;
  const { status, body: answer } = await server.ask(path, { method: "POST", body });
  if (status !== 201) throw new Error(answer.toString());
}
