// Setpoint manages Setpoint through the Swagger document that it serves: what may be done with each
// field is what the document says, what others change there is put right or told, and what is there
// already can be adopted. Each test has clusters of its own, so that none waits for the others.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { pick, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy, Seen } from "../peers/fault-proxy.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import {
  apiVersion,
  cluster,
  clusterKinds,
  clusterPath,
  documentPath,
  management,
  openShiftLike,
  subscriptionPath,
  withoutSecret,
} from "./cluster-kinds.ts";
import { condition } from "../peers/resources.ts";
import { applyDocument, bodiesOf, Resources } from "./rig.ts";

let other: KubeServer;
let proxy: FaultProxy;
let server: Setpoint;
const clusters = new Resources(() => server, { apiVersion, kind: "Cluster" });

before(async () => {
  other = await startKubeServer({ module: [openShiftLike], sections: { arm: { retryAfter: 1 } } });
  await other.request("PUT", subscriptionPath, { state: "Registered" });
  const pem = await readFile(join(dirname(other.kubeconfig), "server.pem"), "utf8");
  proxy = await startFaultProxy({ target: () => other.url, tls: { pem, ca: other.ca } });
  server = await startSetpoint();
  const { text: document } = await other.request("GET", documentPath);
  for (const each of await clusterKinds({ url: proxy.url, other, document })) {
    await applyDocument(server, each);
  }
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  await other?.stop();
  assert.deepEqual(other?.errors, []);
});

const live = async (name: string): Promise<unknown> => {
  const reply = await other.request("GET", clusterPath(name));
  return reply.status === 404 ? undefined : reply.json;
};
/** All of it is over: whatever was asked for has been done, or has failed. */
const settled = async (name: string): Promise<unknown> =>
  await waitUntil(`${name} to be settled`, async () => {
    const found = await live(name);
    return pick(found, "properties.provisioningState") === "Succeeded" ? found : undefined;
  });
/** Somebody else's word, which waits until nothing else is done to the cluster. */
const theyAsk = async (method: string, name: string, body?: JsonObject): Promise<void> => {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  await waitUntil(`${method} of ${name} to be taken`, async () => {
    const reply = await other.request(method, clusterPath(name), body, headers);
    assert.ok(reply.status < 300 || reply.status === 409, reply.text);
    return reply.status < 300;
  });
};
const theyMake = async (name: string, more: JsonObject = {}): Promise<void> => {
  await theyAsk("PUT", name, cluster(name, more));
  await settled(name);
};
const writes = (name: string): readonly Seen[] => proxy.writes({ path: `/clusters/${name}` });
const made = async (
  name: string,
  more: JsonObject = {},
  connect: JsonObject = {},
): Promise<void> => {
  await clusters.create(name, cluster(name, more), { ...management, ...connect });
  await clusters.ready(name);
};
/** One run after the other until the service shows it; refused while an operation goes on. */
const putRight = async (name: string, path: string, value: unknown): Promise<void> => {
  await waitUntil(`${name} to be put right`, async () => {
    await clusters.reconcile(name);
    return pick(await live(name), path) === value;
  });
  await clusters.until(name, "seen", ({ status }) => pick(status?.observed, path) === value);
  await clusters.ready(name);
};

describe("a field of a cluster", { concurrency: true }, () => {
  it("that may be written is written by PATCH, with nothing else in it", async () => {
    await made("written");
    await clusters.patch("written", { spec: { properties: { workerCount: 5 } } });
    await clusters.ready("written");
    assert.equal(pick(await live("written"), "properties.workerCount"), 5);
    const patches = writes("written").filter(({ method }) => method === "PATCH");
    const [body] = bodiesOf(patches.slice(-1));
    assert.deepEqual(body, { properties: { workerCount: 5 } });
    await clusters.patch("written", { spec: { tags: { team: "shop" } } });
    await clusters.ready("written");
    assert.deepEqual(pick(await live("written"), "tags"), { team: "shop" });
  });

  it("that is no longer wanted is the service's again", async () => {
    await made("unwanted", { workerCount: 5 });
    await clusters.patch("unwanted", { spec: { properties: { workerCount: null } } });
    await clusters.ready("unwanted");
    // What is left out is filled in there.
    assert.equal(pick(await live("unwanted"), "properties.workerCount"), 3);
    const written = writes("unwanted").length;
    await clusters.reconcile("unwanted");
    assert.equal(writes("unwanted").length, written);
  });

  it("that is fixed at the creation cannot be changed, and the refusal shows both", async () => {
    await made("fixed");
    for (const [spec, parts] of [
      [{ location: "eastus" }, [/spec\.location/, /westeurope/, /eastus/]],
      [{ properties: { domain: "b.test" } }, [/domain/, /fixed\.example\.com/, /b\.test/]],
      // One that was filled in there.
      [{ properties: { podCidr: "10.0.0.0/8" } }, [/podCidr/, /10\.0\.0\.0\/8/]],
    ] as const) {
      const refused = await clusters.tryPatch("fixed", { spec });
      assert.equal(refused.status, 422, refused.text);
      for (const part of parts) assert.match(refused.text, part);
    }
    assert.deepEqual(
      writes("fixed").filter(({ method }) => method !== "PUT"),
      [],
    );
  });

  it("that is fixed at the creation makes the cluster anew where that is wanted", async () => {
    await made("anew", {}, { replace: ["/properties/domain"] });
    await clusters.patch("anew", { spec: { properties: { domain: "renewed.example.com" } } });
    const one = await clusters.until("anew", "made anew", ({ status }) => {
      return pick(status?.observed, "properties.domain") === "renewed.example.com";
    });
    assert.equal(one.status?.connect?.id, "anew");
    await clusters.ready("anew");
    assert.equal(pick(await settled("anew"), "properties.domain"), "renewed.example.com");
    assert.equal(writes("anew").filter(({ status }) => status === 201).length, 2);
  });

  it("that only the service sets is no field of the spec, and is shown", async () => {
    await made("server-set");
    const properties = { apiServerUrl: "https://nowhere.example/" };
    const told = await clusters.tryPatch("server-set", { spec: { properties } });
    const one = await clusters.reconcile("server-set");
    assert.equal(pick(one.spec, "properties.apiServerUrl"), undefined, told.text);
    const shown = "https://api.server-set.example.com:6443/";
    assert.equal(pick(one.status?.observed, "properties.apiServerUrl"), shown);
    assert.equal(pick(await live("server-set"), "properties.apiServerUrl"), shown);
  });

  it("that is secret is sent from its Secret, and again only when that changes", async () => {
    const word = (text: string): JsonObject => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "word", namespace: "default" },
      stringData: { word: text },
    });
    await applyDocument(server, word("the first word"));
    const field = "/properties/servicePrincipalProfile/clientSecret";
    await made("secret", {}, { secrets: [{ field, secret: "word", key: "word" }] });
    const sent = (text: string): number =>
      proxy.done({ path: "/clusters/secret", body: text }).length;
    const first = sent("the first word");
    await clusters.reconcile("secret");
    assert.equal(sent("the first word"), first);
    await applyDocument(server, word("the second word"));
    await waitUntil("the second word to be sent", () => sent("the second word") > 0);
    await clusters.until("secret", "settled", ({ status }) => {
      return status?.connect?.operation === undefined;
    });
    const second = sent("the second word");
    await clusters.reconcile("secret");
    assert.equal(sent("the second word"), second);
    const shown = JSON.stringify([await clusters.get("secret"), await live("secret")]);
    for (const text of ["the first word", "the second word"]) {
      assert.equal(shown.includes(text), false);
    }
  });

  it("that an autoscaler owns is set at the creation, and then left alone", async () => {
    await made("left", { workerCount: 4 }, { leave: ["/properties/workerCount"] });
    assert.equal(pick(await live("left"), "properties.workerCount"), 4);
    await theyAsk("PATCH", "left", { properties: { workerCount: 9 } });
    await settled("left");
    await clusters.reconcile("left");
    const properties = { workerCount: 2, openshiftVersion: "4.19.2" };
    await clusters.patch("left", { spec: { properties } });
    await clusters.ready("left");
    const now = await settled("left");
    assert.equal(pick(now, "properties.workerCount"), 9);
    assert.equal(pick(now, "properties.openshiftVersion"), "4.19.2");
  });
});

describe("a cluster that somebody changed", { concurrency: true }, () => {
  it("is put right, and keeps what nobody here has set", async () => {
    await made("drifted", { workerCount: 5 });
    const properties = { workerCount: 9, openshiftVersion: "4.19.3" };
    await theyAsk("PATCH", "drifted", { properties, tags: { cost: "7" } });
    await putRight("drifted", "properties.workerCount", 5);
    const now = await settled("drifted");
    assert.equal(pick(now, "properties.openshiftVersion"), "4.19.3");
    assert.deepEqual(pick(now, "tags"), { cost: "7" });
    const one = await clusters.present("drifted");
    assert.match(JSON.stringify(one.status?.connect?.lastWrite), /workerCount.*drift/);
  });

  it("is left as it is where that is wanted, and tells so", async () => {
    await made("reported", { workerCount: 5 }, { drift: "report" });
    await theyAsk("PATCH", "reported", { properties: { workerCount: 9 } });
    await settled("reported");
    const one = await clusters.reconcile("reported");
    assert.equal(condition(one, "Ready")?.reason, "Drifted");
    assert.match(JSON.stringify(one.status?.connect?.drift), /workerCount/);
    assert.equal(pick(await live("reported"), "properties.workerCount"), 9);
  });

  it("by deleting it is mended by making it again", async () => {
    await made("again");
    await theyAsk("DELETE", "again");
    await waitUntil("it to be gone", async () => (await live("again")) === undefined);
    await clusters.reconcile("again");
    await clusters.ready("again");
    assert.equal(pick(await live("again"), "properties.domain"), "again.example.com");
  });

  it("by deleting it is only told of where that is wanted", async () => {
    await made("missed", {}, { drift: "report" });
    await theyAsk("DELETE", "missed");
    await waitUntil("it to be gone", async () => (await live("missed")) === undefined);
    await clusters.reconcile("missed");
    await clusters.says("missed", "Synced", "ObjectGone");
    assert.equal(await live("missed"), undefined);
    await clusters.delete("missed");
    await clusters.gone("missed");
  });
});

describe("a cluster that exists already", { concurrency: true }, () => {
  it("is not touched unless that is wanted", async () => {
    await theyMake("theirs", { workerCount: 4 });
    await clusters.create("theirs", cluster("theirs", { workerCount: 5 }), management);
    await clusters.says("theirs", "Synced", "AlreadyExists");
    await clusters.delete("theirs");
    await clusters.gone("theirs");
    assert.equal(pick(await live("theirs"), "properties.workerCount"), 4);
    assert.deepEqual(writes("theirs"), []);
  });

  it("is taken over where that is wanted", async () => {
    await theyMake("taken", { workerCount: 4 });
    const spec = cluster("taken", { workerCount: 5 });
    await clusters.create("taken", spec, { ...management, adopt: "any" });
    await clusters.ready("taken");
    assert.equal(pick(await live("taken"), "properties.workerCount"), 5);
  });

  it("is adopted by its id, written only where it differs, and kept at the end", async () => {
    await theyMake("adopted", { workerCount: 4 });
    const spec = cluster("adopted", { workerCount: 4 });
    await clusters.create("adopted", spec, { ...withoutSecret, id: "adopted" });
    await clusters.ready("adopted");
    await clusters.reconcile("adopted");
    assert.deepEqual(writes("adopted"), []);
    await clusters.patch("adopted", { spec: { properties: { workerCount: 5 } } });
    await clusters.ready("adopted");
    assert.equal(pick(await live("adopted"), "properties.workerCount"), 5);
    await clusters.delete("adopted");
    await clusters.gone("adopted");
    assert.equal(pick(await settled("adopted"), "properties.workerCount"), 5);
  });

  it("is never made where its id leads to none", async () => {
    await clusters.create("absent", cluster("absent"), { ...withoutSecret, id: "absent" });
    await clusters.says("absent", "Synced", "ImportNotFound");
    assert.equal(await live("absent"), undefined);
    assert.deepEqual(writes("absent"), []);
  });

  it("is only looked at, and stays when its resource goes", async () => {
    await theyMake("seen", { workerCount: 4 });
    const connect = { ...withoutSecret, id: "seen", manage: "observe" };
    await clusters.create("seen", cluster("seen", { workerCount: 5 }), connect);
    const one = await clusters.until("seen", "seen", ({ status }) => {
      return status?.observed !== undefined;
    });
    assert.equal(pick(one.status?.observed, "properties.workerCount"), 4);
    await clusters.reconcile("seen");
    await clusters.delete("seen");
    await clusters.gone("seen");
    assert.equal(pick(await live("seen"), "properties.workerCount"), 4);
    assert.deepEqual(writes("seen"), []);
  });
});

describe("the end of a cluster", { concurrency: true }, () => {
  it("that somebody else brought about is enough", async () => {
    await made("quicker");
    await theyAsk("DELETE", "quicker");
    await waitUntil("it to be gone", async () => (await live("quicker")) === undefined);
    await clusters.delete("quicker");
    await clusters.gone("quicker");
  });

  it("leaves it there where it is to be kept", async () => {
    await made("kept", {}, { manage: "keep" });
    await clusters.delete("kept");
    await clusters.gone("kept");
    assert.equal(pick(await settled("kept"), "properties.domain"), "kept.example.com");
  });
});
