/**
 * What the Consul client relies on, as tests against a running server. tests/executors/ runs them
 * against a double, and against a real server when SETPOINT_TEST_CONSUL names one.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ConsulClient, KeyOperation } from "./client.ts";
import { flagsOf } from "./owner-flags.ts";

export interface ConsulUnderTest extends AsyncDisposable {
  readonly client: ConsulClient;
  /** As another client: method, path with query, body. */
  readonly raw: (method: string, path: string, body?: string) => Promise<RawAnswer>;
}

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

const root = "setpoint-contract/";

function set(key: string, value: string, index: number): KeyOperation {
  return { kind: "set", key: `${root}${key}`, value, flags: flagsOf("contract"), index };
}

export function consulContract(name: string, open: () => Promise<ConsulUnderTest>): void {
  describe(`the Consul client: ${name}`, () => {
    let peer: ConsulUnderTest;
    before(async () => {
      peer = await open();
      await peer.raw("DELETE", `/v1/kv/${root}?recurse`);
    });
    after(async () => {
      await peer.raw("DELETE", `/v1/kv/${root}?recurse`);
      await peer[Symbol.asyncDispose]();
    });

    keyContract(() => peer);
    healthContract(() => peer);

    it("reports the leader", async () => {
      assert.match(await peer.client.leader(), /:\d+$/);
    });
  });
}

function keyContract(open: () => ConsulUnderTest): void {
  it("creates keys, reads them with flags and indexes, and deletes them", async () => {
    const { client } = open();
    const created = await client.commit([set("a", "1", 0), set("b/ü x", "zwei", 0)]);
    assert.equal(created.kind, "committed");
    const found = await client.read([`${root}a`, `${root}b/ü x`, `${root}none`]);
    assert.deepEqual([...found.keys()], [`${root}a`, `${root}b/ü x`]);
    const a = found.get(`${root}a`);
    assert.equal(a?.value, "1");
    assert.equal(a?.flags, flagsOf("contract"), "flags are stored exactly");
    assert.equal(a?.createIndex, a?.modifyIndex);
    assert.equal(created.entries[0]?.modifyIndex, a?.modifyIndex, "the answer has the indexes");
    assert.deepEqual(await client.names(root), [`${root}a`, `${root}b/ü x`]);
    const remove = [...found.values()].map(({ key, modifyIndex: index }) => {
      return { kind: "delete", key, index } as const;
    });
    assert.equal((await client.commit(remove)).kind, "committed");
    assert.deepEqual(await client.names(root), []);
  });

  it("changes nothing when one operation of a transaction loses", async () => {
    const { client, raw } = open();
    await client.commit([set("x", "1", 0)]);
    const x = (await client.read([`${root}x`])).get(`${root}x`);
    await raw("PUT", `/v1/kv/${root}x`, "by hand");
    const lost = await client.commit([set("y", "1", 0), set("x", "2", x?.modifyIndex ?? 0)]);
    assert.equal(lost.kind, "conflict");
    assert.deepEqual(lost.kind === "conflict" ? lost.keys : [], [`${root}x`]);
    const found = await client.read([`${root}x`, `${root}y`]);
    assert.equal(found.get(`${root}x`)?.value, "by hand");
    assert.equal(found.get(`${root}x`)?.createIndex, x?.createIndex, "the same incarnation");
    assert.equal(found.get(`${root}x`)?.flags, 0, "another client resets the flags");
    assert.equal(found.has(`${root}y`), false);
    await raw("DELETE", `/v1/kv/${root}x`);
  });

  it("neither creates a key that exists nor deletes a key that has changed", async () => {
    const { client, raw } = open();
    await client.commit([set("c", "1", 0)]);
    assert.equal((await client.commit([set("c", "2", 0)])).kind, "conflict");
    const c = (await client.read([`${root}c`])).get(`${root}c`);
    await raw("PUT", `/v1/kv/${root}c`, "by hand");
    const index = c?.modifyIndex ?? 0;
    const lost = await client.commit([{ kind: "delete", key: `${root}c`, index }]);
    assert.equal(lost.kind, "conflict");
    assert.equal((await raw("GET", `/v1/kv/${root}c?raw`)).text, "by hand");
    await raw("DELETE", `/v1/kv/${root}c`);
  });

  it("commits 128 operations at once", async () => {
    const { client } = open();
    const operations = Array.from({ length: 128 }, (_, at) => set(`many/${at}`, `${at}`, 0));
    assert.equal((await client.commit(operations)).kind, "committed");
    assert.equal((await client.names(`${root}many/`)).length, 128);
  });
}

function healthContract(open: () => ConsulUnderTest): void {
  it("reports an unknown service as one without instances", async () => {
    const query = { service: "setpoint-unknown", tag: "", datacenter: "", index: 0 };
    assert.deepEqual((await open().client.health(query)).instances, []);
  });

  it("answers a blocking query when the health of a service changes", async () => {
    const { client, raw } = open();
    const id = "setpoint-contract-web";
    const check = { CheckID: `service:${id}`, TTL: "600s", Status: "passing" };
    const service = { ID: id, Name: id, Port: 8_080, Check: check };
    await raw("PUT", "/v1/agent/service/register", JSON.stringify(service));
    const query = { service: id, tag: "", datacenter: "" };
    let seen = await client.health({ ...query, index: 0 });
    const statusOf = (): string | undefined => {
      return seen.instances[0]?.checks.find((each) => each.id === check.CheckID)?.status;
    };
    // The agent of a real server registers at its servers a little later.
    for (let turn = 0; turn < 10 && statusOf() !== "passing"; turn += 1) {
      seen = await client.health({ ...query, index: seen.index });
    }
    assert.equal(statusOf(), "passing");
    const blocked = client.health({ ...query, index: seen.index });
    await raw("PUT", `/v1/agent/check/fail/${check.CheckID}`);
    seen = await blocked;
    for (let turn = 0; turn < 10 && statusOf() !== "critical"; turn += 1) {
      seen = await client.health({ ...query, index: seen.index });
    }
    assert.equal(statusOf(), "critical");
    await raw("PUT", `/v1/agent/service/deregister/${id}`);
  });
}
