// Who owns whom decides what goes together: chains, several owners, owners that never were,
// deletion in the foreground and with orphans, and owners that went while no server was looking.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

interface Stored {
  readonly metadata: {
    readonly uid: string;
    readonly ownerReferences?: readonly Owner[];
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
}

let server: Setpoint;

before(async () => {
  server = await startSetpoint();
});

after(async () => await server[Symbol.asyncDispose]());

const path = "/api/v1/namespaces/default/configmaps";

async function make(name: string, owners: readonly Owner[] = [], more = {}): Promise<Owner> {
  const { status, body } = await server.ask(path, {
    method: "POST",
    body: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ownerReferences: owners, ...more },
    },
  });
  assert.equal(status, 201, body.toString());
  const { metadata } = JSON.parse(body.toString()) as Stored;
  return { apiVersion: "v1", kind: "ConfigMap", name, uid: metadata.uid };
}

async function find(name: string): Promise<Stored["metadata"] | undefined> {
  const { status, body } = await server.ask(`${path}/${name}`);
  return status === 404 ? undefined : (JSON.parse(body.toString()) as Stored).metadata;
}

async function gone(...names: string[]): Promise<void> {
  for (const name of names) {
    await waitUntil(`the end of ${name}`, async () => (await find(name)) === undefined);
  }
}

async function remove(name: string, propagationPolicy?: string): Promise<void> {
  const body = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy };
  const { status } = await server.ask(`${path}/${name}`, { method: "DELETE", body });
  assert.equal(status, 200);
}

/** By a patch, since in a circle no owner is there before what it owns. */
async function own(name: string, owner: Owner | undefined): Promise<void> {
  assert(owner !== undefined);
  const headers = { "content-type": "application/merge-patch+json" };
  const body = { metadata: { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] } };
  const { status } = await server.ask(`${path}/${name}`, { method: "PATCH", headers, body });
  assert.equal(status, 200);
}

async function release(name: string): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const body = { metadata: { finalizers: null } };
  const { status } = await server.ask(`${path}/${name}`, { method: "PATCH", headers, body });
  assert.equal(status, 200);
}

describe("garbage collection", () => {
  it("follows chains of owners", async () => {
    const first = await make("chain-1");
    const second = await make("chain-2", [first]);
    const third = await make("chain-3", [second]);
    await Promise.all(["a", "b", "c"].map((leaf) => make(`chain-4${leaf}`, [third])));
    await remove("chain-1");
    await gone("chain-2", "chain-3", "chain-4a", "chain-4b", "chain-4c");
  });

  it("keeps what still has an owner, and forgets the one that went", async () => {
    const left = await make("left");
    const right = await make("right");
    await make("both", [left, right]);
    await remove("left");
    const remaining = await waitUntil("one owner", async () => {
      const owners = (await find("both"))?.ownerReferences ?? [];
      return owners.length === 1 && owners;
    });
    assert.equal(remaining[0]?.uid, right.uid);
    await remove("right");
    await gone("both");
  });

  it("deletes what is made for an owner that is not there, and only on certainty", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "no-such-uid" };
    await make("fatherless", [owner]);
    await gone("fatherless");
    const namesake = await make("namesake");
    await make("heir", [{ ...namesake, uid: "the-uid-before" }]);
    await gone("heir");
    await make("stranger", [{ ...owner, apiVersion: "unknown.example.dev/v1", kind: "Thing" }]);
    await delay(300);
    assert.notEqual(await find("stranger"), undefined);
  });

  it("ends an owner in the foreground after those that block it", async () => {
    const owner = await make("slow-owner");
    const hold = { finalizers: ["example.dev/hold"] };
    await make("slow-child", [{ ...owner, blockOwnerDeletion: true }], hold);
    await make("quick-child", [owner]);
    await remove("slow-owner", "Foreground");
    await gone("quick-child");
    const waiting = await find("slow-owner");
    assert.deepEqual(waiting?.finalizers, ["foregroundDeletion"]);
    assert.notEqual((await find("slow-child"))?.deletionTimestamp, undefined);
    await release("slow-child");
    await gone("slow-child", "slow-owner");
  });

  it("ends what owns itself, or is owned in a circle, in the foreground", async () => {
    const self = await make("own-owner");
    await own("own-owner", self);
    const names = ["ring-1", "ring-2", "ring-3"];
    const ring = await Promise.all(names.map((name) => make(name)));
    for (const [n, name] of names.entries()) await own(name, ring.at(n - 1));
    await remove("own-owner", "Foreground");
    await remove("ring-1", "Foreground");
    await gone("own-owner", ...names);
  });

  it("keeps an owner in a circle for those that block it and are not in the circle", async () => {
    const [left, right] = [await make("tied-left"), await make("tied-right")];
    await own("tied-left", right);
    await own("tied-right", left);
    const hold = { finalizers: ["example.dev/hold"] };
    await make("tied-child", [{ ...left, blockOwnerDeletion: true }], hold);
    await remove("tied-left", "Foreground");
    await gone("tied-right");
    assert.deepEqual((await find("tied-left"))?.finalizers, ["foregroundDeletion"]);
    await release("tied-child");
    await gone("tied-child", "tied-left");
  });

  it("leaves orphans without a trace of their owner", async () => {
    const owner = await make("leaver");
    await make("orphan-1", [owner]);
    await make("orphan-2", [owner]);
    await remove("leaver", "Orphan");
    await gone("leaver");
    for (const name of ["orphan-1", "orphan-2"]) {
      assert.equal((await find(name))?.ownerReferences, undefined);
    }
  });

  it("finds what lost its owner while no server was looking", async () => {
    const owner = await make("crashed-owner");
    await Promise.all(Array.from({ length: 40 }, (_, n) => make(`crashed-${n}`, [owner])));
    await remove("crashed-owner");
    await server.kill9();
    await server.start();
    await gone(...Array.from({ length: 40 }, (_, n) => `crashed-${n}`));
  });

  it("follows owners outside of namespaces", async () => {
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "landlord" },
      rules: [],
    };
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const { body } = await server.ask(roles, { method: "POST", body: role });
    const { uid } = (JSON.parse(body.toString()) as Stored).metadata;
    await make("tenant", [{ apiVersion: role.apiVersion, kind: role.kind, name: "landlord", uid }]);
    await delay(100);
    assert.notEqual(await find("tenant"), undefined);
    await server.ask(`${roles}/landlord`, { method: "DELETE" });
    await gone("tenant");
  });
});
