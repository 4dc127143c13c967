// A module that cannot be used, or whose kind is in deletion, does not affect the API and the other
// modules of the server. Its problem is reported with the file and the line.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startProgram } from "../peers/child.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-broken-"));
});
after(async () => await rm(folder, { recursive: true, force: true }));

async function moduleFile(name: string, source: string): Promise<string> {
  const file = join(folder, `${name}.ts`);
  await writeFile(file, source);
  return file;
}

/** A module with one kind, such as Pear, whose removal is logged. */
function sourceOf(name: string, kind: string, plural = `${kind.toLowerCase()}s`): string {
  const names = `apiVersion: "tests.dev/v1", kind: "${kind}", plural: "${plural}"`;
  return `import { defineModule, describeKind, done } from "setpoint";
    export default defineModule({
      name: "${name}",
      kinds: [
        {
          kind: describeKind({ ${names}, spec: { type: "object" } }),
          reconciler: {
            reconcile: async () => done(),
            remove: async (resource, { log }) => {
              log.warn({ name: resource.metadata.name }, "removed by its reconciler");
              return done();
            },
          },
        },
      ],
    });`;
}

const path = (plural: string, name = ""): string =>
  `/apis/tests.dev/v1/namespaces/default/${plural}${name === "" ? "" : `/${name}`}`;

async function create(server: Setpoint, kind: string, name: string): Promise<void> {
  const body = { apiVersion: "tests.dev/v1", kind, metadata: { name }, spec: {} };
  const { status } = await server.ask(path(`${kind.toLowerCase()}s`), { method: "POST", body });
  assert.equal(status, 201);
}

async function untilReady(server: Setpoint, plural: string, name: string): Promise<void> {
  await waitUntil(`${plural} ${name} to be ready`, async () => {
    const { body } = await server.ask(path(plural, name));
    return body.toString().includes('"reason":"Available"');
  });
}

describe("broken modules", () => {
  it("do not affect the API and the other modules, and are reported", async () => {
    const good = await moduleFile("good", sourceOf("good", "Pear"));
    const taken = await moduleFile("taken", sourceOf("taken", "Pear", "pearls"));
    const broken = new Map([
      [join(folder, "nowhere.ts"), /nowhere\.ts does not exist/],
      [await moduleFile("syntax", "const a = 1;\nconst b = ];"), /syntax\.ts .*\(line 2\)/],
      [await moduleFile("throwing", "\n\nnull.x();"), /throwing\.ts cannot be loaded \(line 3\)/],
      [
        await moduleFile("packaged", 'export {};\nimport "no-such-package/deep";'),
        /packaged\.ts \(line 2\) imports the package no-such-package, which is not installed/,
      ],
      [await moduleFile("empty", "export const a = 1;"), /empty\.ts has no default export/],
      [await moduleFile("twin", sourceOf("good", "Fig")), /twin\.ts has the same name as/],
      [taken, /taken\.ts: the kind pearls\.tests\.dev is not served: its names are taken/],
    ]);
    const files = [...broken.keys()].flatMap((file) => ["--module", file]);
    await using server = await startSetpoint({ args: ["--module", good, ...files] });
    await create(server, "Pear", "a");
    await untilReady(server, "pears", "a");
    for (const [file, words] of broken) {
      assert.match(server.log(), words);
      assert.ok(server.log().includes(`broken   ${file}: see the log`), file);
    }
    assert.match(server.log(), new RegExp(`cd ${folder} && npm install no-such-package`));
    assert.equal((await server.ask("/readyz")).status, 200);
    const verbose = (await server.ask("/readyz?verbose")).body.toString();
    assert.match(
      verbose,
      /\[-\]modules failed \(not required\): not usable: nowhere\.ts, .*, 4 more; see the log/,
    );
    assert.match(verbose, /readyz check passed/);
    assert.equal((await server.ask("/readyz/modules")).status, 500);
  });

  it("are the reason that `why` gives for resources without a worker", async () => {
    const file = await moduleFile("later", sourceOf("later", "Plum"));
    await using server = await startSetpoint({ args: ["--module", file] });
    await create(server, "Plum", "a");
    await untilReady(server, "plums", "a");
    assert.equal(await server.stop(), 0);
    await writeFile(file, "throw new Error('not today');");
    await server.start();
    await create(server, "Plum", "b");
    const { body } = await server.ask(`${path("plums", "b")}/why`);
    assert.match(body.toString(), /"the module later\.ts cannot be loaded \(line 1\): not today"/);
  });

  it("that were never loaded are the reason that `why` gives for an unknown kind", async () => {
    const file = await moduleFile("never", "throw new Error('not today');");
    await using server = await startSetpoint({ args: ["--module", file] });
    const env = { KUBECONFIG: server.kubeconfig };
    await using why = await startProgram("src/cli/main.ts", { args: ["why", "fig/a"], env });
    assert.equal((await why.waitForExit()).code, 1);
    const reason =
      /has no kind "fig"; it may be .* the module never\.ts cannot be loaded \(line 1\)/;
    assert.match(why.stderr(), reason);
    assert.match(why.stderr(), /not today/);
    await using shown = await startProgram("src/cli/main.ts", { args: ["operations"], env });
    assert.equal((await shown.waitForExit()).code, 0);
    assert.match(shown.stdout(), /UNUSABLE MODULES\n +the module never\.ts .*not today/);
  });

  it("are reported by doctor with the file and the line", async () => {
    const file = await moduleFile("examined", "const a = 1;\n\nnull.x();");
    const args = ["doctor", "--data", join(folder, "none"), "--module", file];
    await using program = await startProgram("src/cli/main.ts", { args });
    assert.equal((await program.waitForExit()).code, 1);
    assert.match(program.stdout(), /bad +module +.*examined\.ts cannot be loaded \(line 3\)/);
  });
});

describe("a module with a changed schema", () => {
  const boards = (field: string, migrate = ""): string =>
    sourceOf("boards", "Board")
      .replace(
        'spec: { type: "object" }',
        `spec: { type: "object", required: ["${field}"],
           properties: { ${field}: { type: "string" } } }`,
      )
      .replace("reconciler: {", `${migrate} reconciler: {`);

  async function doctor(server: Setpoint, file: string): Promise<string> {
    const args = ["doctor", "--data", server.folder, "--module", file];
    await using program = await startProgram("src/cli/main.ts", { args });
    const { code } = await program.waitForExit();
    assert.equal(code, program.stdout().includes("bad ") ? 1 : 0);
    return program.stdout();
  }

  it("is refused next to stored data, until it migrates them", async () => {
    const file = await moduleFile("boards", boards("title"));
    await using server = await startSetpoint({ args: ["--module", file] });
    const metadata = { name: "a" };
    const body = { apiVersion: "tests.dev/v1", kind: "Board", metadata, spec: { title: "t" } };
    assert.equal((await server.ask(path("boards"), { method: "POST", body })).status, 201);
    await untilReady(server, "boards", "a");
    await writeFile(file, boards("heading"));
    const words = /boards\.tests\.dev does not accept stored resources: default\/a \(spec\.title/;
    const findings = await doctor(server, file);
    assert.match(findings, words);
    assert.doesNotMatch(findings, /is usable/);
    assert.equal(await server.stop(), 0);
    await server.start();
    assert.match(server.log(), words);
    const kept = (await server.ask(path("boards", "a"))).body.toString();
    assert.match(kept, /"spec":\{"title":"t"\}/);
    const migrate = `migrate: (old) => ({ ...old, spec: { heading: old.spec.title } }),`;
    await writeFile(file, boards("heading", migrate));
    assert.match(await doctor(server, file), /accepts 1 stored resources, of which 1 would be/);
    assert.equal(await server.stop(), 0);
    await server.start();
    await waitUntil("the migration", async () => {
      const { body: read } = await server.ask(path("boards", "a"));
      return read.toString().includes('"spec":{"heading":"t"}');
    });
  });
});

describe("a kind in deletion", () => {
  it("does not prevent the start, and its resources are removed by their reconciler", async () => {
    const file = await moduleFile("ending", sourceOf("ending", "Quince"));
    await using server = await startSetpoint({ args: ["--module", file] });
    await create(server, "Quince", "a");
    await untilReady(server, "quinces", "a");
    assert.equal(await server.stop(), 0);
    // Without the module the removal cannot end.
    await server.start([]);
    const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/quinces.tests.dev";
    assert.equal((await server.ask(definition, { method: "DELETE" })).status, 200);
    assert.equal(await server.stop(), 0);
    await server.start();
    await waitUntil("the deletion", async () => (await server.ask(definition)).status === 404);
    assert.match(server.log(), /removed by its reconciler/);
  });
});
