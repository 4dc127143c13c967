// The server is killed while Consul, Vault or an application is in the middle of a request, before
// and after it has acted. A server started on the same data ends in the same state: no conflict
// with its own write, no second version and no second effect.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { findPostgres } from "../../tools/peers.ts";
import { startApp } from "../peers/app.ts";
import type { AppPeer } from "../peers/app.ts";
import { consulToken, startConsul } from "../peers/consul.ts";
import type { ConsulPeer } from "../peers/consul.ts";
import { killDuring, moments, shortLeases, wordOf } from "../peers/crash-steps.ts";
import type { Moment } from "../peers/crash-steps.ts";
import type { Match } from "../peers/fault-proxy.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Resources } from "../peers/resources.ts";
import { startVault, vaultRootToken } from "../peers/vault.ts";
import type { VaultPeer } from "../peers/vault.ts";
import { startExecutorRig } from "./rig.ts";
import type { ExecutorRig, Target } from "./rig.ts";

const nameOf = (moment: Moment): string => `crash-${wordOf(moment)}`;
const names = moments.map(nameOf);
const allow = { namespaces: { names: ["default"] } };

async function kill(
  rig: ExecutorRig,
  match: (name: string) => Match,
  act: (name: string) => Promise<void>,
): Promise<void> {
  await killDuring(
    rig,
    moments.map((moment) => ({
      match: match(nameOf(moment)),
      moment,
      act: async () => await act(nameOf(moment)),
    })),
  );
}

async function deleteAll(resources: Resources<Target>): Promise<void> {
  for (const name of names) await resources.delete(name);
  for (const name of names) await resources.gone(name);
}

for (const store of ["SQLite", "PostgreSQL"] as const) {
  const skip = store === "PostgreSQL" && findPostgres() === undefined;
  describe(`a server that is killed during a request of an executor (${store})`, { skip }, () => {
    const stack = new AsyncDisposableStack();
    let start: (target: () => string) => Promise<ExecutorRig>;
    before(async () => {
      const { args } = stack.use(await shortLeases());
      start = async (target) => {
        const postgres = store === "SQLite" ? undefined : stack.use(await startPostgres());
        const more = postgres === undefined ? {} : { store: postgres.url() };
        return stack.use(await startExecutorRig(target, { args, ...more }));
      };
    });
    after(async () => await stack.disposeAsync());

    it("of Consul finishes changes without a conflict, and deletes every key", async () => {
      const consul: ConsulPeer = stack.use(await startConsul());
      const rig = await start(() => consul.url);
      await rig.secret("consul", { token: consulToken });
      const secretRef = { namespace: "default", name: "consul", key: "token" };
      const spec = { url: rig.proxy.url, token: { secretRef }, allow };
      await rig.of("ConsulServer", undefined, "").create("main", spec);
      const keys = rig.of("ConsulKeys", "consulkeys");
      const match = (name: string, verb: string) => {
        return { method: "PUT", path: "/v1/txn", body: `"Verb":"${verb}","Key":"${name}/a"` };
      };
      const value = async (name: string): Promise<string> => {
        const headers = { "x-consul-token": consulToken };
        const answer = await fetch(`${consul.url}/v1/kv/${name}/a?raw`, { headers });
        return answer.status === 404 ? "" : await answer.text();
      };
      const values = async (): Promise<readonly string[]> => await Promise.all(names.map(value));
      await kill(
        rig,
        (name) => match(name, "cas"),
        async (name) => {
          await keys.create(name, { server: "main", prefix: `${name}/`, keys: { a: "1" } });
        },
      );
      for (const name of names) await keys.ready(name);
      assert.deepEqual(await values(), ["1", "1"]);
      await kill(
        rig,
        (name) => match(name, "cas"),
        async (name) => await keys.patch(name, { spec: { keys: { a: "2" } } }),
      );
      for (const name of names) await keys.ready(name);
      assert.deepEqual(await values(), ["2", "2"]);
      await kill(
        rig,
        (name) => match(name, "delete-cas"),
        async (name) => await keys.delete(name),
      );
      for (const name of names) await keys.gone(name);
      assert.deepEqual(await values(), ["", ""]);
    });

    it("of Vault writes one version, marks it, and soft-deletes it", async () => {
      const vault: VaultPeer = stack.use(await startVault());
      const rig = await start(() => vault.url);
      await rig.secret("vault", { token: vaultRootToken });
      const secretRef = { namespace: "default", name: "vault", key: "token" };
      const spec = { url: rig.proxy.url, auth: { token: { secretRef } }, allow };
      await rig.of("VaultServer", undefined, "").create("main", spec);
      const secrets = rig.of("VaultSecret");
      const generate = [{ key: "password", type: "Password" }];
      await kill(
        rig,
        (name) => ({ method: "POST", path: `/v1/secret/data/${name}` }),
        async (name) => await secrets.create(name, { server: "main", path: name, generate }),
      );
      for (const name of names) {
        const one = await secrets.ready(name);
        assert.equal(one.status?.outputs?.["version"], 1, name);
      }
      await deleteAll(secrets);
    });

    it("of an application has one effect for each request", async () => {
      const app: AppPeer = stack.use(await startApp());
      const rig = await start(() => app.url);
      const http = { allowPrivate: { cidrs: ["127.0.0.1/32"] } };
      await rig.of("ExecutorPolicy", "executorpolicies", "").create("local", { allow, http });
      const calls = rig.of("HttpCall");
      const requests = (name: string): JsonObject => ({
        create: { method: "PUT", path: `/items/${name}` },
        destroy: { method: "DELETE", path: `/items/${name}` },
      });
      await kill(
        rig,
        (name) => ({ method: "PUT", path: `/items/${name}` }),
        async (name) => await calls.create(name, { url: rig.proxy.url, requests: requests(name) }),
      );
      for (const name of names) await calls.ready(name);
      await deleteAll(calls);
      const effects = [...app.effects.values()].map(({ method, url }) => `${method} ${url}`);
      assert.deepEqual(
        effects.toSorted(),
        names.flatMap((name) => [`DELETE /items/${name}`, `PUT /items/${name}`]).toSorted(),
      );
    });
  });
}
