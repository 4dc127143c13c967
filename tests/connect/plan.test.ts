// `setpoint plan` as people type it, for files as they have them.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { startProgram } from "../peers/child.ts";
import { startScaleSets } from "../peers/scale-sets.ts";
import { apiVersion, definition, restKind } from "./powerdns-kinds.ts";
import { startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

let folder = "";
let rig: Rig;

const setKind = definition("ScaleSet", {
  type: "object",
  required: ["location"],
  properties: { location: { type: "string" } },
});
const setBinding = restKind("scalesets", {
  connection: "machines",
  item: "/scaleSets/{name}",
  identity: { kind: "client", parameter: "name" },
  operations: { read: { method: "GET" }, create: { method: "PUT" }, delete: { method: "DELETE" } },
  fields: [],
});

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-plan-"));
  rig = await startRig(startScaleSets, ({ url }) => [
    {
      apiVersion: "connect.setpoint.dev/v1",
      kind: "Connection",
      metadata: { name: "machines" },
      spec: { baseUrl: url, breaker: { failures: 1_000 } },
    },
    setKind,
    setBinding,
  ]);
});
after(async () => {
  await rig?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const plan = async (text: string, ...more: readonly string[]) => {
  const file = join(folder, "file.yaml");
  await writeFile(file, text);
  const args = ["plan", "-f", file, "--kubeconfig", rig.server.kubeconfig, ...more];
  await using program = await startProgram("src/cli/main.ts", { args });
  const { code } = await program.waitForExit({ limitMs: 120_000 });
  return { code, out: program.stdout(), told: program.stderr() };
};
const set = (name: string, spec: string): string =>
  `apiVersion: ${apiVersion}\nkind: ScaleSet\nmetadata: { name: ${name} }\nspec: { ${spec} }\n`;
const absent = (name: string): string =>
  `the object does not exist: GET /scaleSets/${name}: 404 There is no ${name}.`;
const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: key }\n";

it("refuses a file with a field that the kind does not have, and names it", async () => {
  const { code, out, told } = await plan(set("web", "location: here, loction: there"));
  assert.equal(code, 1);
  assert.equal(out, "");
  assert.match(told, /strict decoding error: unknown field "spec\.loction"/);
  assert.match(told, /try: correct the file; kubectl explain scaleset lists its fields\n$/);
});

it("says what to do where there is no plan", async () => {
  const alone = await plan(secret);
  assert.match(
    alone.told,
    /kind Secret are not managed by Connect.*\n {2}try: list the managed kinds/,
  );
  const nowhere = await plan(set("web", "location: here"), "-n", "nowhere");
  assert.match(nowhere.told, /^setpoint: there is no namespace "nowhere" /);
});

it("plans each resource of a file, also where another of them is wrong", async () => {
  const good = [set("web", "location: here"), secret, set("db", "location: there")];
  const { code, out } = await plan(good.join("---\n"));
  assert.equal(code, 0);
  assert.deepEqual(out.split("\n"), [
    "ScaleSet/web",
    `  create: PUT /scaleSets/web (${absent("web")})`,
    '    /location: "here"',
    "Secret/key",
    "  no plan: the kind is not managed by Connect",
    "ScaleSet/db",
    `  create: PUT /scaleSets/db (${absent("db")})`,
    '    /location: "there"',
    "",
  ]);
  const mixed = await plan([set("web", "loc: here"), set("db", "location: x")].join("---\n"));
  assert.equal(mixed.code, 1);
  assert.match(mixed.told, /^ScaleSet\/web: .*unknown field "spec\.loc"/);
  assert.match(mixed.out, /^ScaleSet\/db\n {2}create: PUT \/scaleSets\/db /);
  const listed = JSON.parse((await plan(good.join("---\n"), "-o", "json")).out) as {
    readonly items: readonly { readonly action: string }[];
  };
  assert.deepEqual(
    listed.items.map(({ action }) => action),
    ["create", "create"],
  );
});
