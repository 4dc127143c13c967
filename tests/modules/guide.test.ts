// The module in the section "Add a module" of CONTRIBUTING.md works as printed, and needs no other
// change than its lines in src/app/modules.ts.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { startProgram } from "../peers/child.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { copyTree, programOf, typeErrors } from "./tree-copy.ts";

/** Every block of TypeScript whose first line is a comment with the path of its file. */
function printedFiles(): ReadonlyMap<string, string> {
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const blocks = page.matchAll(/^```ts\n(\/\/ (src\/modules\/orchard\/\S+\.ts): [^]*?)^```$/gm);
  return new Map([...blocks].map(([, text = "", path = ""]) => [path, text]));
}

function list(copy: string): void {
  const path = join(copy, "src/app/modules.ts");
  const text = readFileSync(path, "utf8")
    .replace(/^import /m, 'import { orchard } from "../modules/orchard/module.ts";\nimport ')
    .replace("builtInModules: readonly BuiltInModule[] = [", "$&orchard, ");
  writeFileSync(path, text);
}

describe("the module in CONTRIBUTING.md", () => {
  let copy = "";
  let server: Setpoint;
  before(async () => {
    copy = await mkdtemp(join(tmpdir(), "setpoint-guide-"));
    await copyTree(copy);
    for (const [path, text] of printedFiles()) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    list(copy);
    server = await startSetpoint({ program: programOf(copy) });
    const metadata = { name: "pink" };
    const body = { apiVersion: "example.dev/v1", kind: "Apple", metadata };
    const path = "/apis/example.dev/v1/namespaces/default/apples";
    assert.equal((await server.ask(path, { method: "POST", body })).status, 201);
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await rm(copy, { recursive: true, force: true });
  });

  it("has no type errors", () => assert.equal(typeErrors(copy), ""));

  it("reconciles its kind and counts in its metric", async () => {
    await waitUntil("a run that was counted", async () => {
      const { body } = await server.ask("/metrics");
      return /^setpoint_apples_total [1-9]/m.test(String(body));
    });
  });

  it("answers on its route, which the OpenAPI document describes", async () => {
    const { status, body } = await server.ask("/api/v1/orchard");
    assert.deepEqual([status, JSON.parse(String(body))], [200, { apples: 1 }]);
    const document = await server.ask("/api/v1/openapi.json");
    assert.match(String(document.body), /"\/api\/v1\/orchard"/);
  });

  it("adds its command to the command line", async () => {
    const args = ["apples", "--kubeconfig", server.kubeconfig];
    await using command = await startProgram(programOf(copy), { args });
    const { code } = await command.exited;
    assert.deepEqual([code, command.stdout(), command.stderr()], [0, "pink\n", ""]);
  });
});
