// Every way in which kubectl writes one object: create, replace, edit, patch, label, annotate and
// scale.
import assert from "node:assert/strict";
import { it } from "node:test";
import { maxInt64 } from "../../../src/kernel/int64.ts";
import { apiVersion, configMap, group, openRoom, since, widget } from "./scene.ts";
import type { Room, Stage } from "./scene.ts";

const one = `widget.${group}/one`;

async function sizeOf(at: Room, name = "one"): Promise<string> {
  return await at.ok(`get wg ${name} -o jsonpath={.spec.size}`);
}

export function writingTests(stage: Stage): void {
  createTests(stage);
  replaceTests(stage);
  patchTests(stage);
  labelTests(stage);
  scaleTests(stage);
}

function createTests({ scene, minor }: Stage): void {
  it("create stores an object once", async () => {
    const at = await openRoom(scene());
    assert.equal(await at.ok("create -f -", widget("one")), `${one} created\n`);
    assert.equal(
      await at.refused("create -f -", widget("one")),
      'Error from server (AlreadyExists): error when creating "STDIN": ' +
        'widgets.e2e.example.dev "one" already exists\n',
    );
    const generated = { apiVersion, kind: "Widget", metadata: { generateName: "gen-" } };
    const made = await at.ok("create -f -", { ...generated, spec: { size: 1 } });
    assert.match(made, /^widget\.e2e\.example\.dev\/gen-[a-z0-9]{5} created\n$/);
    const saved = await at.ok("create -f - --save-config -o yaml", widget("two"));
    assert.match(saved, /last-applied-configuration/);
  });

  it("create refuses what the schema refuses", async () => {
    const at = await openRoom(scene());
    const answer = await at.refused("create --validate=false -f -", widget("one", { size: 0 }));
    assert.match(
      answer,
      /^The Widget "one" is invalid: spec\.size: Invalid value: 0: .* greater than or equal to 1\n/,
    );
    assert.match(await at.refused("create -f -", widget("one", {})), /size/);
    assert.match(await at.refused("get wg one"), /NotFound/);
  });

  it("create --validate decides about unknown fields", since(minor, 25), async () => {
    const at = await openRoom(scene());
    const odd = (name: string): object => widget(name, { size: 1, weight: 2 });
    for (const flag of ["--validate=true", "--validate=strict"]) {
      const answer = await at.refused(`create ${flag} -f -`, odd("one"));
      assert.match(answer, /BadRequest.*strict decoding error: unknown field "spec\.weight"/);
    }
    const warned = await at.run("create --validate=warn -f -", { input: odd("warned") });
    assert.equal(warned.code, 0, warned.stderr);
    assert.match(warned.stderr, /^Warning: unknown field "spec\.weight"/);
    for (const flag of ["--validate=false", "--validate=ignore"]) {
      const name = flag.slice(11);
      const silent = await at.run(`create ${flag} -f -`, { input: odd(name) });
      assert.deepEqual([silent.code, silent.stderr], [0, ""]);
      assert.equal(await at.ok(`get wg ${name} -o jsonpath={.spec.weight}`), "");
    }
  });

  it("create --dry-run stores nothing", async () => {
    const at = await openRoom(scene());
    assert.equal(
      await at.ok("create --dry-run=client -f -", widget("one")),
      `${one} created (dry run)\n`,
    );
    assert.equal(
      await at.ok("create --dry-run=server -f -", widget("one")),
      `${one} created (server dry run)\n`,
    );
    const shown = await at.ok("create --dry-run=server -o yaml -f -", widget("one"));
    assert.match(shown, /color: red/, "a dry run sets defaults");
    assert.ok(!shown.includes("resourceVersion"));
    assert.match(
      await at.refused("create --validate=false --dry-run=server -f -", widget("one", { size: 0 })),
      /spec\.size/,
    );
    assert.match(await at.refused("get wg one"), /NotFound/);
  });

  it("create reads several documents from a file and a folder", async () => {
    const at = await openRoom(scene());
    const text = [widget("one"), configMap("cm")]
      .map((each) => JSON.stringify(each))
      .join("\n---\n");
    const path = await at.file("all.yaml", `---\n# Two documents.\n${text}\n`);
    assert.equal(await at.ok(["create", "-f", path]), `${one} created\nconfigmap/cm created\n`);
    const list = { apiVersion: "v1", kind: "List", items: [widget("two"), widget("three")] };
    assert.match(await at.ok("create -f -", list), /two created\n.*three created\n/);
  });
}

function replaceTests({ scene }: Stage): void {
  it("replace puts the whole object, and needs one", async () => {
    const at = await openRoom(scene());
    assert.match(await at.refused("replace -f -", widget("one")), /NotFound/);
    await at.widget("one", { size: 3, color: "blue" });
    assert.equal(await at.ok("replace -f -", widget("one", { size: 4 })), `${one} replaced\n`);
    assert.equal(await at.ok("get wg one -o jsonpath={.spec}"), specText(4));
    const stale = {
      ...widget("one", { size: 5 }),
      metadata: { name: "one", resourceVersion: "1" },
    };
    assert.match(
      await at.refused("replace -f -", stale),
      /Error from server \(Conflict\).*the object has been modified; please apply your changes/,
    );
    await at.ok("replace --dry-run=server -f -", widget("one", { size: 6 }));
    assert.equal(await sizeOf(at), "4");
  });

  it("replace --force deletes and creates", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    const before = await at.ok("get wg one -o jsonpath={.metadata.uid}");
    assert.match(
      await at.ok("replace --force -f -", widget("one", { size: 5 })),
      /^widget\.e2e\.example\.dev "one" deleted.*\nwidget\.e2e\.example\.dev\/one replaced\n$/,
    );
    assert.notEqual(await at.ok("get wg one -o jsonpath={.metadata.uid}"), before);
  });

  it("edit writes what the editor leaves", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    await at.ok("create -f -", configMap("cm"));
    const editor = await at.file(
      "edit.sh",
      "#!/bin/sh\nsed -i 's/size: 3/size: 7/;s/a: \"1\"/a: z/' $1\n",
    );
    const env = { KUBE_EDITOR: editor };
    const edited = await at.run("edit wg one", { env });
    assert.deepEqual([edited.code, edited.stdout], [0, `${one} edited\n`], edited.stderr);
    assert.equal(await sizeOf(at), "7");
    const builtIn = await at.run("edit cm cm", { env });
    assert.equal(builtIn.stdout, "configmap/cm edited\n", builtIn.stderr);
    assert.equal(await at.ok("get cm cm -o jsonpath={.data.a}"), "z");
    const same = await at.run("edit wg one", { env: { KUBE_EDITOR: "true" } });
    assert.match(same.stderr, /Edit cancelled, no changes made/);
  });
}

function patchTests({ scene, minor }: Stage): void {
  const patch = (type: string, body: unknown, ...more: string[]): readonly string[] => [
    "patch",
    "wg",
    "one",
    `--type=${type}`,
    "-p",
    JSON.stringify(body),
    ...more,
  ];

  it("keeps integers of 64 bits", async () => {
    const at = await openRoom(scene());
    const sized = (size: bigint): object => widget("one", { size });
    await at.ok("create -f - --save-config", sized(maxInt64));
    assert.equal(await sizeOf(at), "9223372036854775807");
    assert.match(await at.ok("get wg one"), / 9223372036854775807 /);
    assert.match(await at.ok("get wg one -o yaml"), /^ {2}size: 9223372036854775807$/m);
    // Not by a client-side apply: kubectl rounds integers in the merge patch that it computes.
    await at.ok("replace -f -", sized(9_007_199_254_740_993n));
    assert.equal(await sizeOf(at), "9007199254740993");
    await at.ok(patch("merge", { spec: { size: 9_007_199_254_740_995n } }));
    assert.equal(await sizeOf(at), "9007199254740995");
    const operation = { op: "replace", path: "/spec/size", value: 9_007_199_254_740_997n };
    await at.ok(patch("json", [operation]));
    assert.equal(await sizeOf(at), "9007199254740997");
    const forced = "apply --server-side --force-conflicts -f -";
    await at.ok(forced, sized(9_007_199_254_740_999n));
    assert.equal(await sizeOf(at), "9007199254740999");
  });

  it("patch changes a defined kind by merge and by operations", async () => {
    const at = await openRoom(scene());
    await at.widget("one", { size: 3, color: "blue" });
    const merge = { spec: { size: 4, color: null } };
    assert.equal(await at.ok(patch("merge", merge)), `${one} patched\n`);
    assert.equal(await at.ok("get wg one -o jsonpath={.spec}"), specText(4));
    assert.equal(await at.ok(patch("merge", merge)), `${one} patched (no change)\n`);
    const operations = [
      { op: "test", path: "/spec/size", value: 4 },
      { op: "replace", path: "/spec/size", value: 5 },
    ];
    assert.equal(await at.ok(patch("json", operations)), `${one} patched\n`);
    assert.match(await at.refused(patch("json", operations)), /testing|test operation|Invalid/i);
    assert.equal(await sizeOf(at), "5");
    await at.ok(patch("merge", { spec: { size: 6 } }, "--dry-run=server"));
    assert.equal(await sizeOf(at), "5");
    assert.match(await at.refused(patch("merge", { spec: { size: 0 } })), /spec\.size/);
  });

  it("a strategic patch is refused for a defined kind and kept for built-in ones", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    assert.match(
      await at.refused(["patch", "wg", "one", "-p", '{"spec":{"size":4}}']),
      /the body of the request was in an unknown format/,
    );
    await at.ok("create -f -", configMap("cm", { a: "1", b: "2" }));
    const strategic = JSON.stringify({ data: { $patch: "replace", c: "3" } });
    assert.equal(await at.ok(["patch", "cm", "cm", "-p", strategic]), "configmap/cm patched\n");
    assert.equal(await at.ok("get cm cm -o jsonpath={.data}"), '{"c":"3"}');
  });

  it("patch --subresource=status changes the status only", since(minor, 24), async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    const body = { spec: { size: 9 }, status: { replicas: 2 } };
    assert.equal(await at.ok(patch("merge", body, "--subresource=status")), `${one} patched\n`);
    assert.equal(await at.ok("get wg one -o jsonpath={.spec.size}/{.status.replicas}"), "3/2");
    assert.equal(await at.ok("get wg one -o jsonpath={.metadata.generation}"), "1");
    await at.ok(patch("merge", { status: { replicas: 7 } }));
    assert.equal(await at.ok("get wg one -o jsonpath={.status.replicas}"), "2");
  });
}

function labelTests({ scene }: Stage): void {
  for (const [command, past, field] of [
    ["label", "labeled", "labels"],
    ["annotate", "annotated?", "annotations"],
  ] as const) {
    it(`${command} sets, keeps, overwrites and removes`, async () => {
      const at = await openRoom(scene());
      await at.widget("one");
      await at.widget("two");
      assert.match(await at.ok(`${command} wg one a=1 b=2`), new RegExp(`${one} ${past}\n`));
      assert.match(await at.refused(`${command} wg one a=2`), /already has a value \(1\)/);
      await at.ok(`${command} wg one a=2 --overwrite`);
      await at.ok(`${command} wg one b-`);
      assert.equal(await at.ok(`get wg one -o jsonpath={.metadata.${field}}`), '{"a":"2"}');
      await at.ok(`${command} wg --all c=3`);
      assert.equal(await at.ok(`get wg two -o jsonpath={.metadata.${field}.c}`), "3");
    });
  }

  it("a label that cannot be one is refused", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    assert.match(await at.refused(["label", "wg", "one", "a=b c"]), /valid label|invalid label/);
  });
}

function scaleTests({ scene }: Stage): void {
  it("scale sets the replicas of a kind that has them", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    assert.equal(await at.ok("scale wg/one --replicas=4"), `${one} scaled\n`);
    assert.equal(await at.ok("get wg one -o jsonpath={.spec.replicas}"), "4");
    assert.match(
      await at.refused("scale wg/one --replicas=5 --current-replicas=3"),
      /Expected replicas to be 3, was 4/i,
    );
    assert.equal(await at.ok("scale wg/one --replicas=5 --current-replicas=4"), `${one} scaled\n`);
    assert.equal(await at.ok("get wg one -o jsonpath={.spec.replicas}"), "5");
    await at.ok("create -f -", configMap("cm"));
    assert.match(await at.refused("scale cm/cm --replicas=1"), /scal|NotFound|not find/i);
  });
}

function specText(size: number): string {
  return JSON.stringify({ color: "red", replicas: 1, size });
}
