// The roles of docs/reference/resource-provider.md, as they stand there but for the names of the
// kind, its action and who they are bound to.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseYaml } from "../../src/kernel/yaml.ts";
import { root } from "../../tools/stages.ts";
import { pick, pickText } from "../kube/server.ts";
import type { Reply, RequestHeaders } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, ovens, startArmServer, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { newUser } from "./users.ts";

let server: ArmServer;

before(async () => {
  server = await startArmServer();
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

const page = readFileSync(join(root, "docs/reference/resource-provider.md"), "utf8");
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const operators = "api-version=2026-01-01-preview";

/** The documents of the block on the page that begins with a role of that name. */
function documentsOf(role: string): readonly unknown[] {
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text);
  const found = blocks.find((text) => text.includes(`name: ${role}\n`));
  assert.ok(found !== undefined, `the page has no role ${role}`);
  const text = found
    .replaceAll("bakery.example", "bakery.tests.dev")
    .replaceAll("ovens/listkeys", "ovens/listcodes");
  return text.split("---\n").map((each) => parseYaml(each).value);
}

/** A user that the documents are about. */
async function userIn(name: string, documents: readonly unknown[]): Promise<RequestHeaders> {
  const headers = await newUser(server, name);
  for (const document of documents) {
    const { subjects, ...rest } = document as { readonly subjects?: unknown };
    const subject = { kind: "ServiceAccount", name, namespace: "default" };
    const body = subjects === undefined ? rest : { ...rest, subjects: [subject] };
    const namespace = pick(document, "metadata.namespace");
    const where = typeof namespace === "string" ? `${rbac}/namespaces/${namespace}` : rbac;
    const path = `${where}/${pickText(document, "kind").toLowerCase()}s`;
    const made = await server.request("POST", path, body);
    assert.equal(made.status, 201, made.text);
  }
  return headers;
}

describe("roles", () => {
  it("of the reference let a customer change, poll and act", async () => {
    const customer = await userIn("customer-1", documentsOf("oven-customer"));
    const send = (method: string, path: string, body?: object): Promise<Reply> =>
      server.request(method, path, body, { "content-type": "application/json", ...customer });
    const body = { location: "westeurope", properties: { size: 1, secretCode: "1234" } };
    const path = `${ovens}/theirs?${version}`;
    await waitUntil(
      "the role to count",
      async () => (await send("PUT", path, body)).status !== 403,
    );
    await server.settled("theirs");
    const changed = await send("PATCH", path, { properties: { size: 2 } });
    assert.equal(changed.status, 202, changed.text);
    await server.settled("theirs");
    for (const header of ["azure-asyncoperation", "location"]) {
      const url = String(changed.headers[header]).slice(server.url.length);
      const polled = await send("GET", url);
      assert.equal(polled.status, 200, polled.text);
    }
    const codes = await send("POST", `${ovens}/theirs/listCodes?${version}`);
    assert.deepEqual(codes.json, { secretCode: "1234" });
    assert.equal((await send("GET", `${ovens}?${version}`)).status, 200);
    const hidden = await send("GET", `${ovens}/theirs?${operators}`);
    assert.equal(codeOf(hidden), "InvalidApiVersionParameter");
    assert.equal((await send("DELETE", path)).status, 202);
  });

  it("of the reference let an operator work in the versions for them, and no other", async () => {
    await server.made("tended", { size: 1 });
    const operator = await userIn("operator-1", documentsOf("oven-operator"));
    const send = (method: string, path: string, body?: object): Promise<Reply> =>
      server.request(method, path, body, { "content-type": "application/json", ...operator });
    const path = `${ovens}/tended?${operators}`;
    await waitUntil("the role to count", async () => (await send("GET", path)).status === 200);
    const changed = await send("PATCH", path, { properties: { size: 2 } });
    assert.equal(changed.status, 202, changed.text);
    await server.settled("tended");
    for (const header of ["azure-asyncoperation", "location"]) {
      const url = String(changed.headers[header]).slice(server.url.length);
      assert.equal((await send("GET", url)).status, 200);
    }
    assert.equal((await send("GET", `${ovens}/tended?${version}`)).status, 403);
  });
});
