// Setpoint manages Setpoint, and either of them is killed: the one that manages at each step of the
// life of a cluster (before the other hears of it, after the other has acted and before it was
// answered, and while the operation is asked after), the other while it is at its operations.
// Nothing is made twice, nothing is lost, and all ends as wanted.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { pick } from "../kube/server.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy } from "../peers/fault-proxy.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import {
  apiVersion,
  cluster,
  clusterKinds,
  clusterPath,
  documentPath,
  management,
  openShiftLike,
  subscriptionPath,
} from "./cluster-kinds.ts";
import { killDuring, moments, shortLeases, wordOf } from "../peers/crash-steps.ts";
import type { ShortLeases, Step } from "../peers/crash-steps.ts";
import { applyDocument, Resources } from "./rig.ts";

const stack = new AsyncDisposableStack();
let leases: ShortLeases;
let other: Setpoint;
let proxy: FaultProxy;
let server: Setpoint;
const clusters = new Resources(() => server, { apiVersion, kind: "Cluster" });

before(async () => {
  leases = stack.use(await shortLeases("arm: { retryAfter: 1 }\n"));
  const args = [...leases.args, "--module", openShiftLike];
  other = stack.use(await startSetpoint({ args }));
  const body = { state: "Registered" };
  assert.equal((await other.ask(subscriptionPath, { method: "PUT", body })).status, 200);
  const pem = await readFile(join(other.folder, "server.pem"), "utf8");
  const tls = { pem, ca: other.ca };
  proxy = stack.use(await startFaultProxy({ target: () => other.url, tls }));
  server = stack.use(await startSetpoint({ args: leases.args }));
  const document = (await other.ask(documentPath)).body.toString();
  for (const each of await clusterKinds({ url: proxy.url, other, document })) {
    await applyDocument(server, each);
  }
});
after(async () => await stack.disposeAsync());

const live = async (name: string): Promise<unknown> => {
  const { status, body } = await other.ask(clusterPath(name));
  return status === 404 ? undefined : (JSON.parse(body.toString()) as unknown);
};
const workers = async (name: string): Promise<unknown> =>
  pick(await live(name), "properties.workerCount");
/** How often the other has made it. */
const madeTimes = (name: string): number =>
  proxy.writes({ method: "PUT", path: `/clusters/${name}` }).filter(({ status }) => status === 201)
    .length;

/** Of an operation, whosever it is: of the others of a table none has got so far. */
const asked: Step["match"] = { method: "GET", path: /operationsStatus/ };
/** The clusters of each table, by where the server is when it ends. */
const names = [...moments.map(wordOf), "begun", "polled"];

/** In each moment of the request, and while its operation is asked after. */
const everywhere = (method: string, act: (name: string) => Promise<void>): readonly Step[] => [
  ...moments.map((moment): Step => {
    const name = wordOf(moment);
    const match = { method, path: `/clusters/${name}` };
    return { match, moment, act: async () => await act(name) };
  }),
  { match: asked, moment: "hold", act: async () => await act("begun") },
  { match: asked, moment: "hold answer", act: async () => await act("polled") },
];
const make = async (name: string, more: JsonObject = {}, connect?: JsonObject): Promise<void> =>
  await clusters.create(name, cluster(name, more), { ...management, ...connect });
const resize = async (name: string): Promise<void> =>
  await clusters.patch(name, { spec: { properties: { workerCount: 5 } } });

describe("a server that is killed", () => {
  it("while clusters are made ends with each of them made once", async () => {
    await killDuring(
      { proxy, server },
      everywhere("PUT", async (name) => await make(name)),
    );
    for (const name of names) {
      await clusters.ready(name);
      assert.equal(pick(await live(name), "properties.provisioningState"), "Succeeded", name);
      assert.equal(madeTimes(name), 1, name);
    }
  });

  it("while clusters are changed ends with what was wanted", async () => {
    await killDuring({ proxy, server }, everywhere("PATCH", resize));
    for (const name of names) {
      await clusters.ready(name);
      assert.equal(await workers(name), 5, name);
      assert.equal(madeTimes(name), 1, name);
    }
  });

  it("while clusters are made anew ends with each of them made once more", async () => {
    const steps = ["DELETE", "PUT"].flatMap((method) =>
      moments.map((moment): Step & { readonly name: string } => {
        const name = `anew-${method.toLowerCase()}-${wordOf(moment)}`;
        const spec = { properties: { domain: `other.${name}.example.com` } };
        const act = async (): Promise<void> => await clusters.patch(name, { spec });
        return { name, match: { method, path: `/clusters/${name}` }, moment, act };
      }),
    );
    const replace = ["/properties/domain"];
    for (const { name } of steps) await make(name, {}, { replace });
    for (const { name } of steps) await clusters.ready(name);
    await killDuring({ proxy, server }, steps);
    for (const { name } of steps) {
      await clusters.ready(name);
      assert.equal(pick(await live(name), "properties.domain"), `other.${name}.example.com`);
      assert.equal(madeTimes(name), 2, name);
    }
  });

  it("while clusters are deleted ends with none of them", async () => {
    const remove = async (name: string): Promise<void> => await clusters.delete(name);
    await killDuring({ proxy, server }, everywhere("DELETE", remove));
    for (const name of names) {
      await clusters.gone(name);
      assert.equal(await live(name), undefined, name);
      assert.equal(madeTimes(name), 1, name);
    }
  });
});

describe("a managed server that is killed", () => {
  it("while its operations are asked after ends them, and nothing is made twice", async () => {
    // Each operation takes longer than the first question after it waits.
    const slow = { simulation: { phaseMilliseconds: 700 } };
    const present = ["to-change", "to-delete"];
    for (const name of present) await make(name, slow);
    for (const name of present) await clusters.ready(name);
    const held = (act: () => Promise<void>): Step => ({ match: asked, moment: "hold answer", act });
    await killDuring({ proxy, server: other }, [
      held(async () => await make("to-make", slow)),
      held(async () => await resize("to-change")),
      held(async () => await clusters.delete("to-delete")),
    ]);
    await clusters.ready("to-make");
    await clusters.ready("to-change");
    await clusters.gone("to-delete");
    assert.equal(await workers("to-change"), 5);
    assert.equal(await live("to-delete"), undefined);
    for (const name of ["to-make", ...present]) assert.equal(madeTimes(name), 1, name);
  });
});
