// Modules from files outside of the program: what is loaded, and how mistakes are told.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ExtensionPoint } from "../contract/user-module.ts";
import { done } from "../engine/outcome.ts";
import { kindId } from "../kernel/kind.ts";
import { declaredKinds } from "./declared-parts.ts";
import { importModule } from "./import-module.ts";
import { extensionsOf, loadModules, loadedModule, metricsIn } from "./load-modules.ts";
import type { LoadedModule } from "./load-modules.ts";
import { builtInModules } from "./modules.ts";

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
  const { modules, broken } = await loadModules(files);
  assert.equal(modules.length, sources.length - 1, "the others are loaded");
  const [{ error } = fail("not refused")] = broken;
  assert.equal(error.code, "config.invalid");
  assert.match(error.message, words);
  assert.ok(error.message.includes(files.at(-1) ?? ""), "names the file");
}

function fail(message: string): never {
  throw new Error(message);
}

describe("a module", () => {
  it("is loaded from any folder and finds setpoint there", async () => {
    const path = await file(moduleText("one", kindText("apples"), '"pears.tests.dev"'));
    const {
      modules: [loaded],
    } = await loadModules([path]);
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
    const {
      broken: [{ error } = fail("not refused")],
    } = await loadModules([nowhere]);
    assert.equal(error.message, `the module ${nowhere} does not exist`);
    const begins = `check the path; a relative path starts in `;
    assert.ok(error.suggestion?.startsWith(`${begins}${process.cwd()}, `), error.suggestion);
    await refused(/cannot be loaded \(line 1\)/, "this is not TypeScript");
    await refused(/cannot be loaded \(line 2\)/, "const a = 1;\nenum Colour { red }");
    await refused(/cannot be loaded \(line 3\)/, "const a = {};\n\na.b.c();");
    const missing = 'const a = 1;\nimport "./nothing.ts";\nexport default 1;';
    await refused(/\.ts \(line 2\) imports .*nothing\.ts, which does not exist/, missing);
  });

  it("is refused when its import does not end", async () => {
    const path = await file("await new Promise(() => undefined);\nexport default 1;");
    await assert.rejects(
      importModule(path, { limitMs: 20 }),
      /was not loaded within 0\.02 s: a top-level await/,
    );
  });

  it("is refused for a missing package, with the command that installs it", async () => {
    const source = 'const a = 1;\nimport "@some/package/deep.js";';
    await refused(/\(line 2\) imports the package @some\/package, which is not installed/, source);
    const path = await file(`import "${await file(source)}";`);
    const {
      broken: [{ error } = fail("not refused")],
    } = await loadModules([path]);
    assert.match(error.message, /module-\d+\.ts: .*module-\d+\.ts \(line 2\) imports the package/);
    assert.equal(error.suggestion, `cd ${folder} && npm install @some/package`);
    await refused(/imports the package setpoint, which/, 'import "setpoint/nothing";');
  });

  it("is refused when it exports no module", async () => {
    await refused(/has no default export/, "export const module = 1;");
    await refused(/does not export a module/, "export default 1;");
    await refused(/\.ts: kinds must be a list/, 'export default { name: "a" };');
    await refused(
      /\.ts: kinds is empty; a module must have at least one kind/,
      'export default { name: "a", kinds: [] };',
    );
    await refused(/name must be a string/, "export default { kinds: [] };");
    await refused(/name .*lowercase/i, 'export default { name: "A b", kinds: [] };');
    await refused(
      /version must be a positive integer/,
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
      /kinds\[0\]\.armFace is not a known field; known fields: kind, reconciler, migrate, /,
      `export default { name: "a", kinds: [{ kind: "a.b", ${reconciler}, armFace: {} }] };`,
    );
    await refused(
      /: kindz is not a known field; known fields: name, version, kinds, .*; did you mean kinds\?/,
      `export default { name: "a", kinds: [{ kind: "a.b", ${reconciler} }], kindz: [] };`,
    );
  });

  it("is refused for a misspelt field of a reconciler or a kind, with the name", async () => {
    const reconcilers = [
      "{ reconcile: async () => ({}), resynchMs: 5_000 }",
      "new (class { resynchMs = 5_000; helper = 1; async reconcile() { return {}; } })()",
    ];
    for (const reconciler of reconcilers) {
      await refused(
        /kinds\[0\]\.reconciler\.resynchMs is not a known field; .*did you mean resyncMs\?/,
        `export default { name: "a", kinds: [{ kind: "a.b", reconciler: ${reconciler} }] };`,
      );
    }
    const path = await file(
      moduleText("a", kindText("apples").replace("spec:", 'shortname: "ap", spec:')),
    );
    const {
      broken: [{ error } = fail("not refused")],
    } = await loadModules([path]);
    assert.match(error.message, /cannot be loaded \(line 4\)$/);
    const { message } = error.cause as Error;
    assert.match(message, /describeKind: shortname is not a known field; .*mean shortNames\?/);
    const kind = (more: string, column: string): string =>
      `{ group: "tests.dev", names: { plural: "apples", kind: "Apple" }, scope: "Cluster",
         versions: [{ name: "v1", served: true, storage: true, schema: { type: "object" },
         printerColumns: [{ name: "A", type: "string", jsonPath: ".a", ${column} }] }], ${more} }`;
    await refused(
      /kinds\[0\]\.kind: fieldRule is not a known field; .*mean fieldRules\?/,
      moduleText("a", kind("fieldRule: []", "")),
    );
    await refused(
      /kinds\[0\]\.kind: versions\[0\]\.printerColumns\[0\]\.jsonpath is not/,
      moduleText("a", kind("", 'jsonpath: ".b"')),
    );
  });

  it("is refused when it says of a system outside what no system can be", async () => {
    const reconciler = '{ reconcile: async () => ({ kind: "done" }) }';
    const text = (name: string, systems: string): string =>
      `export default { name: "${name}", systems: ${systems},
         kinds: [{ kind: "${name}.b", reconciler: ${reconciler} }] };`;
    await refused(/systems must be an object/, text("a", '{ "api.dev": 5 }'));
    const both = [text("a", '{ "api.dev": {} }'), text("b", '{ "api.dev": {} }')];
    await refused(/declares the system api\.dev, which .* also declares/, ...both);
  });

  it("is refused for a kind of the server itself", async () => {
    await refused(
      /kinds\[0\]\.kind is configmaps, a built-in kind/,
      moduleText("a", '"configmaps"'),
    );
    const leases = '"leases.coordination.k8s.io"';
    await refused(/kinds\[1\]\.kind is leases/, moduleText("a", '"a.b"', leases));
  });

  it("is refused when a number makes no sense, with the field and its bounds", async () => {
    const text = (options: string, systems = "{}"): string =>
      `const reconciler = { reconcile: async () => ({ kind: "done" }), ${options} };
       export default { name: "a", systems: ${systems}, kinds: [{ kind: "a.b", reconciler }] };`;
    await refused(
      /kinds\[0\]\.reconciler\.resyncMs must be 0 or an integer from 1000 .*, not "10s"/,
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
    await refused(/declares the kind apples\.tests\.dev, which .* also declares/, ...others);
    const named = [moduleText("a", apples), moduleText("a", kindText("pears"))];
    await refused(/has the same name as .*: a$/, ...named);
  });
});

describe("an extension of a module", () => {
  const reconciler = { reconcile: () => Promise.resolve(done()) };
  const kinds = [{ kind: "apples.tests.dev", reconciler }];
  const points: readonly ExtensionPoint[] = [
    {
      name: "painter",
      of: "module",
      problem: (value, field) => (value === "red" ? undefined : `${field} must be red`),
    },
    { name: "face", of: "kind", problem: () => undefined },
  ];
  const load = (value: object): LoadedModule => loadedModule("a.ts", value, points);
  const refusal = (value: object): string => {
    try {
      load({ name: "a", kinds, ...value });
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
  };

  it("is the same in `extensions` as in a field of its name", () => {
    const entry = { point: "painter", module: "a", file: "a.ts", value: "red" };
    const beside = load({ name: "a", kinds, painter: "red" });
    const inside = load({ name: "a", kinds, extensions: { painter: "red" } });
    assert.deepEqual(extensionsOf([beside]), [entry]);
    assert.deepEqual(extensionsOf([inside]), [entry]);
  });

  it("of a kind names the kind", () => {
    const [kind = {}] = kinds;
    const module = load({ name: "a", kinds: [{ ...kind, extensions: { face: { a: 1 } } }] });
    assert.deepEqual(extensionsOf([module]), [
      { point: "face", module: "a", file: "a.ts", kind: "apples.tests.dev", value: { a: 1 } },
    ]);
  });

  it("makes up for kinds, unless it is empty", () => {
    assert.deepEqual(load({ name: "a", kinds: [], painter: "red" }).kinds, []);
    assert.match(refusal({ kinds: [] }), /kinds is empty/);
  });

  it("is refused when its owner refuses it, when it is given twice, or has no owner", () => {
    assert.match(refusal({ painter: "blue" }), /a\.ts: painter must be red/);
    assert.match(
      refusal({ extensions: { painter: "blue" } }),
      /a\.ts: extensions\.painter must be red/,
    );
    const twice = { painter: "red", extensions: { painter: "red" } };
    assert.match(refusal(twice), /painter is given twice; remove it, or extensions\.painter/);
    assert.match(
      refusal({ extensions: { paintr: "red" } }),
      /extensions\.paintr is not an extension .*known here: painter.*did you mean painter\?/,
    );
    assert.match(refusal({ extensions: { face: {} } }), /extensions\.face is not an extension/);
  });
});

describe("a module that takes what is of a built-in module", () => {
  const reconciler = { reconcile: () => Promise.resolve(done()) };

  it("is refused before it installs anything", () => {
    const [first] = declaredKinds(builtInModules);
    assert.ok(first !== undefined);
    const id = kindId(first.kind);
    for (const kind of [id, first.kind]) {
      const load = (): unknown =>
        loadedModule("a.ts", { name: "a", kinds: [{ kind, reconciler }] });
      assert.throws(load, new RegExp(`kinds\\[0\\].kind is ${id}, a kind of the built-in module`));
    }
    for (const name of [first.module.name, ...builtInModules.map((each) => each.name)]) {
      const load = (): unknown =>
        loadedModule("a.ts", { name, kinds: [{ kind: "a.b", reconciler }] });
      assert.throws(load, /is that of a built-in module/);
    }
  });
});

describe("the metrics of a module", () => {
  const reconciler = { reconcile: () => Promise.resolve(done()) };
  const load = (metrics: object): LoadedModule =>
    loadedModule("a.ts", { name: "a", kinds: [{ kind: "a.b", reconciler }], metrics });

  it("are taken as they are declared", () => {
    const metrics = { apples_picked_total: { kind: "counter", help: "Apples.", labels: ["tree"] } };
    assert.deepEqual(metricsIn([load(metrics)]), metrics);
  });

  it("are refused when a name or a definition is wrong, with the field", () => {
    const good = { kind: "counter", help: "Apples.", labels: [] };
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ setpoint_apples: good }, /metrics\["setpoint_apples"\] must not start with setpoint_/],
      [{ apiserver_request_total: good }, /must not start with apiserver_/],
      [{ process_heap_bytes: good }, /must not start with process_/],
      [{ apples: { ...good, help: "Apples.\nevil 1" } }, /must have a help text of one line/],
      [{ apples: { ...good, labels: ["a b"] } }, /has the label "a b": use letters/],
      [{ apples: { ...good, labels: ["__name__"] } }, /has the label "__name__"/],
      [{ apples: { ...good, kind: "histogram", labels: ["le"] } }, /has the label "le"/],
      [{ "apples-picked": good }, /must have letters, digits and _ only/],
      [{ apples: { ...good, kind: "sum" } }, /must have a kind: counter, gauge, histogram/],
      [{ apples: { ...good, help: "" } }, /must have a help text/],
      [{ apples: { ...good, labels: "tree" } }, /must have labels: a list of strings/],
    ];
    for (const [metrics, message] of wrong) assert.throws(() => load(metrics), message);
  });
});
