// The example of docs/reference/oidc-clients.md works as printed, apart from the address of the
// provider, the id of the client and the ages.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import { startOidcRig } from "./rig.ts";
import type { OidcRig } from "./rig.ts";

let rig: OidcRig;
before(async () => {
  rig = await startOidcRig();
  await rig.issuers.delete("company");
  await rig.issuers.gone("company");
});
after(async () => await rig?.[Symbol.asyncDispose]());

const page = readFileSync(join(root, "docs/reference/oidc-clients.md"), "utf8");
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "m").exec(page)?.[1] ?? "";

/** Without what differs from run to run; columns are as wide as their values. */
const constant = (text: string): readonly string[] =>
  text
    .trim()
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "ISSUER")
    .replaceAll(/\d+s$/gm, "AGE")
    .replaceAll(/[\w-]{43}/g, "ID")
    .split("\n")
    .map((line) => line.split(/\s+/).join(" "));

it("the example of the reference works as printed", async () => {
  const [path = ""] = kubectlPaths();
  await using kubectl = await openKubectl(path, rig.server.kubeconfig);
  const input = block("yaml").replace("http://127.0.0.1:9000", rig.proxy.url);
  await kubectl.ok(["apply", "-f", "-"], { input });
  await rig.issuers.ready("company");
  await rig.clients.ready("trex");
  const credentials = await rig.credentials("trex-oidc");
  assert.equal(credentials?.issuer, rig.proxy.url);
  const [command = "", ...printed] = block("console").split("\n");
  assert.equal(command, "$ kubectl get oidcissuers,oidcclients");
  const output = await kubectl.ok(["get", "oidcissuers,oidcclients"]);
  assert.deepEqual(constant(output), constant(printed.join("\n")));
});
