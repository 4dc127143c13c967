// The example of docs/reference/dns.md works as printed, apart from the address of the server and
// the numbers that change.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import { startDnsRig } from "./rig.ts";
import type { DnsRig } from "./rig.ts";

let rig: DnsRig;
before(async () => {
  rig = await startDnsRig();
  await rig.zones.delete("public");
  await rig.zones.gone("public");
});
after(async () => await rig?.[Symbol.asyncDispose]());

const page = readFileSync(join(root, "docs/reference/dns.md"), "utf8");
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "m").exec(page)?.[1] ?? "";

/** Without what differs from run to run. */
const constant = (text: string): string =>
  text
    .replaceAll(/ 20\d{8} /g, " SERIAL ")
    .replaceAll(/\d+s$/gm, "AGE")
    .trim();

it("the example of the reference works as printed", async () => {
  const [path = ""] = kubectlPaths();
  await using kubectl = await openKubectl(path, rig.server.kubeconfig);
  const input = block("yaml").replace("http://127.0.0.1:8081", rig.powerDns.url);
  await kubectl.ok(["apply", "-f", "-"], { input });
  await rig.zones.ready("public");
  await rig.records.ready("trex");
  await rig.resolves("trex.dinosaurs.example", "A", ["192.0.2.7"]);
  const [command = "", ...printed] = block("console").split("\n");
  assert.equal(command, "$ kubectl get dnszones,dnsrecords");
  const output = await kubectl.ok(["get", "dnszones,dnsrecords"]);
  assert.equal(constant(output), constant(printed.join("\n")));
});
