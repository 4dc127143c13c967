// Consul and Vault behind TLS with a certificate of a private authority: they are used when the
// resource or the configuration names the authority, and get no token otherwise.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { consulToken, startConsul } from "../peers/consul.ts";
import type { ConsulPeer } from "../peers/consul.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy } from "../peers/fault-proxy.ts";
import { condition } from "../peers/resources.ts";
import { startVault, vaultRoleId, vaultSecretId } from "../peers/vault.ts";
import type { VaultPeer } from "../peers/vault.ts";
import { waitUntil } from "../peers/wait.ts";
import { startExecutorRig } from "./rig.ts";
import type { ExecutorRig } from "./rig.ts";

let folder: string;
/** Of the services, and one that did not issue their certificate. */
let ca: string;
let otherCa: string;
let tls: { readonly pem: string; readonly ca: string };
let consul: ConsulPeer;
let vault: VaultPeer;
let consulTls: FaultProxy;
let vaultTls: FaultProxy;
let rig: ExecutorRig;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-executors-tls-"));
  const [own, other] = await Promise.all(["own", "other"].map(authorityIn));
  ca = own?.certificatePem ?? "";
  otherCa = other?.certificatePem ?? "";
  const { certificatePem = "", keyPem = "" } = own?.serverCertificate(["127.0.0.1"]) ?? {};
  tls = { pem: `${certificatePem}\n${keyPem}`, ca };
  consul = await startConsul();
  vault = await startVault();
  consulTls = await startFaultProxy({ target: () => consul.url, tls });
  vaultTls = await startFaultProxy({ target: () => vault.url, tls });
  await writeFile(join(folder, "ca.pem"), ca);
  await writeFile(join(folder, "token"), consulToken);
  const executors = {
    consulUrl: consulTls.url,
    consulTokenFile: join(folder, "token"),
    consulCaFile: join(folder, "ca.pem"),
  };
  const config = join(folder, "setpoint.json");
  await writeFile(config, JSON.stringify({ executors }));
  rig = await startExecutorRig(() => consul.url, { args: ["--config", config] });
  await rig.secret("tokens", { consul: consulToken, vault: vaultSecretId });
});
after(async () => {
  await rig?.[Symbol.asyncDispose]();
  for (const peer of [consulTls, vaultTls, consul, vault]) await peer?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function authorityIn(name: string): Promise<ReturnType<typeof openAuthority>> {
  const own = await mkdtemp(join(folder, name));
  return openAuthority({ folder: own, clock: systemClock, random: systemRandom });
}

const allow = { namespaces: { names: ["default"] } };

function consulSpec(more: JsonObject): JsonObject {
  const secretRef = { namespace: "default", name: "tokens", key: "consul" };
  return { url: consulTls.url, token: { secretRef }, allow, ...more };
}

function vaultSpec(more: JsonObject): JsonObject {
  const secretRef = { namespace: "default", name: "tokens", key: "vault" };
  const auth = { appRole: { roleId: vaultRoleId, secretId: { secretRef } } };
  return { url: vaultTls.url, auth, allow, ...more };
}

for (const { kind, specOf, peer } of [
  { kind: "ConsulServer", specOf: consulSpec, peer: () => consul.url },
  { kind: "VaultServer", specOf: vaultSpec, peer: () => vault.url },
] as const) {
  describe(`a ${kind} with TLS`, () => {
    it("is used when its authority is the one in the spec", async () => {
      const servers = rig.of(kind, undefined, "");
      await servers.create("own", specOf({ ca }));
      await servers.ready("own");
    });

    for (const [name, more] of [
      ["public", () => ({})],
      ["other", () => ({ ca: otherCa })],
    ] as const) {
      it(`gets no request when its authority is not trusted (${name})`, async () => {
        const servers = rig.of(kind, undefined, "");
        await using own = await startFaultProxy({ target: peer, tls });
        await servers.create(name, specOf({ ...more(), url: own.url }));
        const refused = await servers.until(name, "refused", (each) => {
          return condition(each, "Synced")?.status === "False";
        });
        assert.match(condition(refused, "Synced")?.message ?? "", /certificate|SELF_SIGNED|VERIFY/);
        assert.deepEqual(own.seen, []);
        await servers.delete(name);
      });
    }
  });
}

it("a VaultSecret logs in and writes over TLS", async () => {
  const secrets = rig.of("VaultSecret");
  await secrets.create("db", { server: "own", path: "env/default/db", data: { user: "app" } });
  await secrets.ready("db");
  const paths = vaultTls.seen.map(({ method, path }) => `${method} ${path}`);
  assert.ok(
    paths.some((each) => each.endsWith("/v1/auth/approle/login")),
    paths.join("\n"),
  );
});

it("ConsulKeys are written over TLS", async () => {
  const keys = rig.of("ConsulKeys", "consulkeys");
  await keys.create("web", { server: "own", prefix: "env/default/web/", keys: { a: "1" } });
  await keys.ready("web");
});

it("a server registers itself at an agent with TLS", async () => {
  const headers = { "x-consul-token": consulToken };
  await waitUntil("the registration", async () => {
    const answer = await fetch(`${consul.url}/v1/health/service/setpoint`, { headers });
    return (await answer.text()).includes('"setpoint"');
  });
  assert.ok(consulTls.seen.some(({ path }) => path.includes("/v1/agent/service/register")));
});
