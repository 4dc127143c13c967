// Connections over TLS with a service that has a certificate of its own authority and may ask for
// ours. All certificates are made here, for this run.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthority } from "../../src/app/tls/authority.ts";
import type { Authority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { startThings } from "../peers/things.ts";
import type { Things } from "../peers/things.ts";
import { waitUntil } from "../peers/wait.ts";
import { condition } from "../peers/resources.ts";
import { applyDocument, Resources } from "./rig.ts";
import { thingBinding, thingKind, things, thingsConnection } from "./things-kinds.ts";

let folder = "";
let server: Setpoint;
let ours: Authority;
let strange: Authority;
/** One that anybody may ask, and one that asks who is asking. */
let open: Things;
let closed: Things;
const resources = new Resources(() => server, things);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-tls-"));
  const authority = (name: string): Authority =>
    openAuthority({ folder: join(folder, name), clock: systemClock, random: systemRandom });
  ours = authority("ours");
  strange = authority("strange");
  const { keyPem: key, certificatePem: certificate } = ours.serverCertificate(["127.0.0.1"]);
  open = await startThings({ key, certificate });
  closed = await startThings({ key, certificate, clientCa: ours.certificatePem });
  server = await startSetpoint();
  await applyDocument(server, secret("authority", { "ca.crt": ours.certificatePem }));
  await applyDocument(server, thingKind);
  await applyDocument(server, thingBinding);
});
after(async () => {
  for (const each of [server, open, closed]) await each?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function secret(name: string, stringData: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default" }, stringData };
}

async function connect(name: string, { url }: Things, tls: JsonObject): Promise<void> {
  await applyDocument(server, thingsConnection(name, { baseUrl: url, tls }));
}

async function until(name: string, type: string, message: RegExp): Promise<string> {
  const found = await resources.until(name, String(message), (one) =>
    message.test(condition(one, type)?.message ?? ""),
  );
  return condition(found, type)?.reason ?? "";
}

describe("a service with a certificate of a private authority", () => {
  it("is trusted by the authority in the Connection or in a Secret", async () => {
    await connect("inline", open, { ca: ours.certificatePem });
    await connect("in-secret", open, { caSecret: "authority" });
    for (const connection of ["inline", "in-secret"]) {
      await resources.create(connection, { color: "red" }, { connection });
      await resources.ready(connection);
      assert.deepEqual(open.objects.get(connection), { color: "red", name: connection });
    }
  });

  it("is sent nothing while it is not trusted, and all as soon as it is", async () => {
    for (const [connection, tls] of [
      ["usual", {}],
      ["strange", { ca: strange.certificatePem }],
    ] as const) {
      await connect(connection, open, tls);
      await resources.create(connection, { color: "red" }, { connection });
      const reason = await until(connection, "Synced", /signed by an unknown authority: set tls/);
      assert.equal(reason, "TlsFailed");
      assert.equal(open.objects.has(connection), false);
      await connect(connection, open, { ca: ours.certificatePem });
      await resources.ready(connection);
    }
  });

  it("that has another name is told, and known by the name that is to be expected", async () => {
    const tls = { ca: ours.certificatePem };
    await connect("named", open, { ...tls, serverName: "other.example" });
    await resources.create("named", { color: "red" }, { connection: "named" });
    await until("named", "Synced", /has other host names: set tls.serverName/);
    await connect("named", open, { ...tls, serverName: "localhost" });
    await resources.ready("named");
  });
});

describe("a service that asks who is asking", () => {
  it("tells who has no certificate, and does what is asked with one", async () => {
    await connect("mutual", closed, { caSecret: "authority" });
    await resources.create("mutual", { color: "red" }, { connection: "mutual" });
    const reason = await until("mutual", "Synced", /requires a client certificate: set tls/);
    assert.equal(reason, "TlsFailed");

    const [mine, other] = ["us", "them"].map((name) =>
      ours.issueClientCertificate({ name, groups: [] }),
    );
    await connect("mutual", closed, { caSecret: "authority", secret: "mine" });
    await until("mutual", "Ready", /the Secret mine with .* does not exist/);
    const mixed = { "tls.crt": mine?.certificatePem ?? "", "tls.key": other?.keyPem ?? "" };
    await applyDocument(server, secret("mine", mixed));
    await until("mutual", "Ready", /tls.key of the Secret mine does not belong to tls.crt/);
    assert.deepEqual([...closed.askers], []);
    await applyDocument(server, secret("mine", { ...mixed, "tls.key": mine?.keyPem ?? "" }));
    await resources.ready("mutual");
    assert.deepEqual([...closed.askers], ["us"]);
    assert.equal(closed.objects.get("mutual")?.["color"], "red");
  });

  it("gets the next certificate as soon as it is in the Secret", async () => {
    const next = ours.issueClientCertificate({ name: "us-again", groups: [] });
    const data = { "tls.crt": next.certificatePem, "tls.key": next.keyPem };
    await applyDocument(server, secret("mine", data));
    await waitUntil("the next certificate", async () => {
      await resources.reconcile("mutual");
      return closed.askers.has("us-again");
    });
  });
});

it("an authority that is none is refused when the Connection is written", async () => {
  const document = thingsConnection("wrong", { baseUrl: open.url, tls: { ca: "nonsense" } });
  const path = "/apis/connect.setpoint.dev/v1/connections";
  const { status, body } = await server.ask(path, { method: "POST", body: document });
  assert.equal(status, 422);
  assert.match(body.toString(), /spec.tls.ca: Forbidden: does not contain a certificate/);
});
