// Modules from files outside of the program: what is loaded, and how mistakes are told.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { loadModules } from "./load-modules.ts";

let folder = "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-modules-"));
});

after(async () => {
  await rm(folder, { recursive: true, force: true });
});

let count = 0;

/** Each under a name of its own, since Node.js loads a file once. */
async function file(source: string): Promise<string> {
  count += 1;
  const path = join(folder, `module-${count}.ts`);
  await writeFile(path, source);
  return path;
}

function kindText(plural: string, spec = '{ type: "object", properties: {} }'): string {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1);
  const names = `kind: "${kind}", plural: "${plural}"`;
  return `describeKind({ apiVersion: "tests.dev/v1", ${names}, spec: ${spec} })`;
}

function moduleText(name: string, ...kinds: readonly string[]): string {
  const entries = kinds.map(
    (kind) => `{ kind: ${kind}, reconciler: { reconcile: async (): Promise<Outcome> => done() } }`,
  );
  return `
    import { defineModule, describeKind, done } from "setpoint";
    import type { Outcome } from "setpoint";
    export default defineModule({ name: "${name}", kinds: [${entries.join(", ")}] });
  `;
}

async function refused(words: RegExp, ...sources: readonly string[]): Promise<void> {
  const files: string[] = [];
  for (const source of sources) files.push(await file(source));
  await assert.rejects(loadModules(files), (error: unknown) => {
    assert.ok(isSetpointError(error, "config.invalid"), String(error));
    assert.match(error.message, words);
    assert.ok(error.message.includes(files.at(-1) ?? ""), "names the file");
    return true;
  });
}

describe("a module", () => {
  it("is loaded from any folder and finds setpoint there", async () => {
    const path = await file(moduleText("one", kindText("apples"), '"pears.tests.dev"'));
    const [loaded] = await loadModules([path]);
    assert.equal(loaded?.name, "one");
    assert.equal(loaded.version, 1);
    assert.deepEqual(
      loaded.kinds.map(({ id, kind, reconciler }) => [id, kind?.names.kind, reconciler.kind]),
      [
        ["apples.tests.dev", "Apples", "apples.tests.dev"],
        ["pears.tests.dev", undefined, "pears.tests.dev"],
      ],
    );
    assert.deepEqual(await loaded.kinds[0]?.reconciler.reconcile({} as never, {} as never), {
      kind: "done",
    });
  });

  it("is refused when the file is not there or does not run", async () => {
    const nowhere = join(folder, "nowhere.ts");
    await assert.rejects(loadModules([nowhere]), (error: unknown) => {
      assert.ok(isSetpointError(error, "config.invalid"));
      assert.equal(error.message, `the module ${nowhere} does not exist`);
      const begins = `check the name: there is no such file; a relative name begins in `;
      assert.ok(error.suggestion?.startsWith(`${begins}${process.cwd()}, `), error.suggestion);
      return true;
    });
    await refused(/cannot be loaded \(line 1\)/, "this is not TypeScript");
    await refused(/cannot be loaded \(line 2\)/, "const a = 1;\nenum Colour { red }");
    await refused(/cannot be loaded \(line 3\)/, "const a = {};\n\na.b.c();");
    await refused(/cannot be loaded/, 'import "./nothing.ts"; export default 1;');
  });

  it("is refused when it exports no module", async () => {
    await refused(/has no default export/, "export const module = 1;");
    await refused(/does not export a module/, "export default 1;");
    await refused(/\.ts: kinds must be a list/, 'export default { name: "a" };');
    await refused(
      /\.ts: kinds is empty; a module has at least one kind/,
      'export default { name: "a", kinds: [] };',
    );
    await refused(/name must be a text/, "export default { kinds: [] };");
    await refused(/name .*lowercase/i, 'export default { name: "A b", kinds: [] };');
    await refused(
      /version must be a whole number/,
      'export default { name: "a", version: 0, kinds: [] };',
    );
  });

  it("is refused when a kind or a reconciler is wrong, with the field", async () => {
    await refused(
      /kinds\[0\]\.kind: .*properties\[spec\]\.properties\[a\]\.type: Required value/,
      moduleText("a", kindText("apples", '{ type: "object", properties: { a: {} } }')),
    );
    await refused(/kinds\[0\]\.kind: is not complete/, moduleText("a", '{ group: "x.dev" }'));
    await refused(
      /kinds\[0\]\.reconciler must have a function called reconcile/,
      'export default { name: "a", kinds: [{ kind: "a.b", reconciler: {} }] };',
    );
    await refused(
      /reconciler\.kind is c\.d but the kind is a\.b/,
      `const reconciler = { kind: "c.d", reconcile: async () => ({ kind: "done" }) };
       export default { name: "a", kinds: [{ kind: "a.b", reconciler }] };`,
    );
  });

  it("is refused when it has a field that nobody reads", async () => {
    const reconciler = "reconciler: { reconcile: async () => ({}) }";
    await refused(
      /kinds\[0\]\.armFace is no field; there are kind, reconciler, arm/,
      `export default { name: "a", kinds: [{ kind: "a.b", ${reconciler}, armFace: {} }] };`,
    );
    await refused(
      /: kindz is no field; there are name, version, kinds, systems, connect/,
      `export default { name: "a", kinds: [{ kind: "a.b", ${reconciler} }], kindz: [] };`,
    );
  });

  it("is refused when it says of a system outside what no system can be", async () => {
    const reconciler = '{ reconcile: async () => ({ kind: "done" }) }';
    const text = (name: string, systems: string): string =>
      `export default { name: "${name}", systems: ${systems},
         kinds: [{ kind: "${name}.b", reconciler: ${reconciler} }] };`;
    await refused(/systems must hold/, text("a", '{ "api.dev": 5 }'));
    const both = [text("a", '{ "api.dev": {} }'), text("b", '{ "api.dev": {} }')];
    await refused(/declares the system api\.dev, as .* does/, ...both);
  });

  it("is refused for a kind of the server itself", async () => {
    await refused(/kinds\[0\]\.kind is configmaps, a kind of the/, moduleText("a", '"configmaps"'));
    const leases = '"leases.coordination.k8s.io"';
    await refused(/kinds\[1\]\.kind is leases/, moduleText("a", '"a.b"', leases));
  });

  it("is refused when a number makes no sense, with the field and its bounds", async () => {
    const text = (options: string, systems = "{}"): string =>
      `const reconciler = { reconcile: async () => ({ kind: "done" }), ${options} };
       export default { name: "a", systems: ${systems}, kinds: [{ kind: "a.b", reconciler }] };`;
    await refused(
      /kinds\[0\]\.reconciler\.resyncMs must be 0 or a whole number from 1000 .*, not "10s"/,
      text('resyncMs: "10s"'),
    );
    await refused(
      /kinds\[0\]\.reconciler\.retry\.soonFirstMs must be .*, not NaN/,
      text("retry: { soonFirstMs: NaN }"),
    );
    await refused(/systems\["api\.dev"\]\.calls must be/, text("", '{ "api.dev": { calls: 0 } }'));
  });

  it("is refused when a kind is declared twice", async () => {
    const apples = kindText("apples");
    await refused(/declares the kind apples\.tests\.dev twice/, moduleText("a", apples, apples));
    const others = [moduleText("a", apples), moduleText("b", apples)];
    await refused(/declares the kind apples\.tests\.dev, as .* does/, ...others);
    const named = [moduleText("a", apples), moduleText("a", kindText("pears"))];
    await refused(/has the name a, as .* does/, ...named);
  });
});
