// A server with the certificate of its operator: clients verify it, and a renewed one is used
// without a restart. openssl makes the certificates, so that they are not our own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { connect } from "node:tls";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-certificate-"));
  const curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority";
  openssl(`req -x509 ${curve} -keyout ca.key -out ca.crt`);
});
after(async () => await rm(folder, { recursive: true, force: true }));

function openssl(command: string): void {
  const ran = spawnSync("openssl", command.split(" "), { cwd: folder, encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stderr);
}

/** Writes tls.crt and tls.key of a common name, as a renewal tool does: by renaming. */
async function issue(commonName: string): Promise<void> {
  openssl(`req -newkey rsa:2048 -nodes -keyout new.key -out new.csr -subj /CN=${commonName}`);
  await writeFile(join(folder, "san"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  const authority = "-CA ca.crt -CAkey ca.key -CAcreateserial";
  openssl(`x509 -req -in new.csr ${authority} -days 1 -extfile san -out new.crt`);
  await rename(join(folder, "new.crt"), join(folder, "tls.crt"));
  await rename(join(folder, "new.key"), join(folder, "tls.key"));
}

/** The common name in the certificate that a new connection is shown. */
async function shownName(url: string, ca: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ca });
  try {
    await new Promise((resolve, reject) => {
      socket.once("secureConnect", resolve).once("error", reject);
    });
    return socket.getPeerCertificate().subject.CN as string;
  } finally {
    socket.destroy();
  }
}

it("the certificate of an operator is verified, and reloaded when it is renewed", async () => {
  await issue("first");
  const files = ["cert=tls.crt", "key=tls.key", "ca=ca.crt"].map((each) => each.split("="));
  const args = files.flatMap(([option, name]) => [`--tls-${option}`, join(folder, name ?? "")]);
  await using server = await startSetpoint({ args: [...args, "--hosts", "localhost"] });
  const [path = ""] = kubectlPaths();
  await using kubectl = await openKubectl(path, server.kubeconfig);
  assert.match(await readFile(server.kubeconfig, "utf8"), /server: "https:\/\/localhost:\d+"/);
  assert.match(await kubectl.ok(["get", "namespaces"]), /^default /m);

  const ca = await readFile(join(folder, "ca.crt"), "utf8");
  assert.equal(await shownName(server.url, ca), "first");
  await issue("second");
  await waitUntil("the second certificate", async () => {
    return (await shownName(server.url, ca)) === "second";
  });
  assert.match(server.log(), /certificate reloaded/);
  assert.match(await kubectl.ok(["get", "namespaces"]), /^default /m);
});
