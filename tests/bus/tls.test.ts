// RabbitMQ over TLS with client certificates, and credentials from a Secret.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { passwordOf, startRabbitMq } from "../peers/rabbitmq.ts";
import type { RabbitMq } from "../peers/rabbitmq.ts";
import { waitUntil } from "../peers/wait.ts";
import { created } from "./rig.ts";

describe("a broker with TLS", () => {
  let folder: string;
  let broker: RabbitMq;
  const path = (name: string): string => join(folder, name);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "setpoint-bus-tls-"));
    chmodSync(folder, 0o755);
    for (const name of ["own", "other"]) {
      const authority = openAuthority({
        folder: mkdtempSync(join(folder, "authority-")),
        clock: systemClock,
        random: systemRandom,
      });
      const server = authority.serverCertificate(["localhost"]);
      const client = authority.issueClientCertificate({ name: "setpoint", groups: [] });
      // The broker runs as another user.
      writeFileSync(path(`${name}-ca.pem`), authority.certificatePem);
      writeFileSync(path(`${name}-server.pem`), server.certificatePem);
      writeFileSync(path(`${name}-server.key`), server.keyPem, { mode: 0o644 });
      writeFileSync(path(`${name}-client.pem`), client.certificatePem);
      writeFileSync(path(`${name}-client.key`), client.keyPem);
    }
    const tls = { ca: "own-ca.pem", certificate: "own-server.pem", key: "own-server.key" };
    const paths = Object.entries(tls).map(([field, name]) => [field, path(name)]);
    broker = await startRabbitMq({ tls: Object.fromEntries(paths) as typeof tls });
  });
  after(async () => {
    await broker[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(section: object): Promise<KubeServer> {
    const bus = { url: broker.tlsUrl, credentialsSecret: "default/rabbitmq", ...section };
    return await startKubeServer({ sections: { bus } });
  }

  async function health(server: KubeServer): Promise<string> {
    return (await server.request("GET", "/readyz?verbose")).text;
  }

  async function login(server: KubeServer, password: string): Promise<void> {
    const stringData = { username: "setpoint", password };
    const metadata = { name: "rabbitmq" };
    await created(server, "/api/v1/namespaces/default/secrets", { metadata, stringData });
  }

  it("is used with a client certificate and the credentials of a Secret", async () => {
    await using server = await start({
      tlsAuthorities: path("own-ca.pem"),
      tlsCertificate: path("own-client.pem"),
      tlsKey: path("own-client.key"),
    });
    await waitUntil("the reason why there is no connection", async () =>
      (await health(server)).includes("the Secret default/rabbitmq needs the keys"),
    );
    await login(server, passwordOf("setpoint"));
    for (const use of ["inbox", "outbox"]) {
      await waitUntil(`the connection of the ${use}`, async () =>
        (await health(server)).includes(`[+]bus-${use} ok`),
      );
    }
  });

  it("of another authority is refused with the reason, and no credentials are sent", async () => {
    await using server = await start({
      tlsAuthorities: path("other-ca.pem"),
      tlsCertificate: path("own-client.pem"),
      tlsKey: path("own-client.key"),
    });
    await login(server, "hunter2-only-for-tests");
    await waitUntil("the reason", async () => /SELF_SIGNED|self-signed/.test(await health(server)));
    assert.ok(!broker.log().includes("hunter2"));
    assert.ok(!server.lines.some((line) => line.includes("hunter2")));
  });

  it("that refuses the password reports it without the password", async () => {
    await using server = await start({
      tlsAuthorities: path("own-ca.pem"),
      tlsCertificate: path("own-client.pem"),
      tlsKey: path("own-client.key"),
    });
    await login(server, "hunter2-only-for-tests");
    await waitUntil("the reason", async () => /ACCESS.REFUSED/.test(await health(server)));
    assert.ok(!server.lines.some((line) => line.includes("hunter2")));
    assert.ok(!(await health(server)).includes("hunter2"));
  });
});
