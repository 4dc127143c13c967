// Applying files as people and pipelines do: on the client's side, on the server's side, from the
// one to the other, with pruning, and only to see the difference.
import assert from "node:assert/strict";
import { it } from "node:test";
import { configMap, group, openRoom, since, widget } from "./scene.ts";
import type { Room, Stage } from "./scene.ts";

const one = `widget.${group}/one`;

export function applyingTests(stage: Stage): void {
  clientSideTests(stage);
  serverSideTests(stage);
  pruneTests(stage);
  diffTests(stage);
}

async function specOf(at: Room): Promise<unknown> {
  return await at.json("get wg one -o jsonpath={.spec}");
}

function clientSideTests({ scene }: Stage): void {
  it("apply creates, changes, removes and leaves alone", async () => {
    const at = await openRoom(scene());
    const apply = async (spec: object): Promise<string> =>
      await at.ok("apply -f -", widget("one", spec));
    const ports = [{ port: 80, name: "http" }];
    assert.equal(await apply({ size: 1, color: "blue", ports }), `${one} created\n`);
    assert.equal(await apply({ size: 1, color: "blue", ports }), `${one} unchanged\n`);
    await at.ok("scale wg/one --replicas=3");
    assert.equal(await apply({ size: 2, ports }), `${one} configured\n`);
    assert.deepEqual(await specOf(at), { size: 2, color: "red", replicas: 3, ports });
    const dry = await at.ok("apply --dry-run=server -f -", widget("one", { size: 9 }));
    assert.equal(dry, `${one} configured (server dry run)\n`);
    assert.deepEqual(await specOf(at), { size: 2, color: "red", replicas: 3, ports });
    assert.match(
      await at.refused("apply --validate=false -f -", widget("one", { size: 0 })),
      /spec\.size/,
    );
  });

  it("apply merges built-in kinds strategically", async () => {
    const at = await openRoom(scene());
    const crd = async (label: string): Promise<string> =>
      await at.ok("apply -f -", definition(`${at.namespace}.example.dev`, label));
    assert.equal(
      await at.ok("apply -f -", configMap("cm", { a: "1", b: "2" })),
      "configmap/cm created\n",
    );
    await at.ok(["patch", "cm", "cm", "-p", '{"data":{"z":"26"}}']);
    assert.equal(
      await at.ok("apply -f -", configMap("cm", { a: "3" })),
      "configmap/cm configured\n",
    );
    assert.deepEqual(await at.json("get cm cm -o jsonpath={.data}"), { a: "3", z: "26" });
    const kinds = `customresourcedefinition.apiextensions.k8s.io/gears.${at.namespace}.example.dev`;
    assert.equal(await crd("1"), `${kinds} created\n`);
    assert.equal(await crd("1"), `${kinds} unchanged\n`);
    assert.equal(await crd("2"), `${kinds} configured\n`);
    await at.ok(`wait --for=condition=Established crd/gears.${at.namespace}.example.dev`);
    const namespace = (team: string): object => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: `${at.namespace}-more`, labels: { team } },
    });
    await at.ok("apply -f -", namespace("a"));
    assert.match(await at.ok("apply -f -", namespace("b")), /configured/);
    assert.match(await at.ok(`get ns -l team=b`), new RegExp(`${at.namespace}-more`));
    await at.ok(`delete crd gears.${at.namespace}.example.dev`);
  });

  it("apply view-last-applied and set-last-applied know the annotation", async () => {
    const at = await openRoom(scene());
    await at.ok("apply -f -", widget("one", { size: 5 }));
    assert.match(await at.ok("apply view-last-applied wg one"), /size: 5/);
    const file = await at.file("six.json", widget("one", { size: 6 }));
    await at.ok(["apply", "set-last-applied", "-f", file]);
    assert.match(await at.ok("apply view-last-applied wg one"), /size: 6/);
  });
}

function serverSideTests({ scene, minor }: Stage): void {
  const applied = `${one} serverside-applied\n`;

  it("apply --server-side creates, updates, conflicts and forces", async () => {
    const at = await openRoom(scene());
    const apply = (manager: string, ...more: string[]): string[] => [
      "apply",
      "--server-side",
      `--field-manager=${manager}`,
      "-f",
      "-",
      ...more,
    ];
    const ports = [{ port: 80, name: "http" }];
    assert.equal(await at.ok(apply("a"), widget("one", { size: 1, ports })), applied);
    assert.equal(await at.ok(apply("a"), widget("one", { size: 2, ports })), applied);
    const more = [{ port: 443, name: "https" }];
    assert.equal(await at.ok(apply("b"), widget("one", { size: 2, ports: more })), applied);
    const conflict = await at.refused(apply("b"), widget("one", { size: 3, ports: more }));
    assert.match(conflict, /Apply failed with 1 conflict: conflict with "a".*: \.spec\.size/);
    const forced = await at.ok(apply("b", "--force-conflicts"), widget("one", { size: 3 }));
    assert.equal(forced, applied);
    assert.deepEqual(await specOf(at), { size: 3, color: "red", replicas: 1, ports });
    const dry = await at.ok(apply("b", "--dry-run=server"), widget("one", { size: 8 }));
    assert.equal(dry, `${one} serverside-applied (server dry run)\n`);
    assert.deepEqual(await specOf(at), { size: 3, color: "red", replicas: 1, ports });
  });

  // kubectl from 1.26 on also removes what the client had applied and is no longer given.
  it("apply --server-side takes over what was applied by the client", async () => {
    const at = await openRoom(scene());
    await at.ok("apply -f -", widget("one", { size: 1, color: "blue" }));
    await at.ok("apply -f -", configMap("cm", { a: "1", b: "2" }));
    assert.equal(await at.ok("apply --server-side -f -", widget("one", { size: 2 })), applied);
    assert.deepEqual(await specOf(at), {
      size: 2,
      color: minor >= 26 ? "red" : "blue",
      replicas: 1,
    });
    assert.equal(await at.ok("apply --server-side -f -", widget("one", { size: 3 })), applied);
    await at.ok("apply --server-side -f -", configMap("cm", { a: "3" }));
    const data = await at.json<Record<string, string>>("get cm cm -o jsonpath={.data}");
    assert.equal(data["a"], "3");
  });

  it("what is server-side applied and no longer given is removed", async () => {
    const at = await openRoom(scene());
    await at.ok("apply --server-side -f -", configMap("cm", { a: "1", b: "2" }));
    await at.ok("apply --server-side -f -", configMap("cm", { a: "1" }));
    assert.equal(await at.ok("get cm cm -o jsonpath={.data}"), '{"a":"1"}');
    assert.match(
      await at.refused(
        "apply --server-side --validate=false -f -",
        widget("w", { size: 1, odd: 1 }),
      ),
      /field not declared in schema/,
    );
  });
}

function pruneTests({ scene, minor }: Stage): void {
  it("apply --prune removes what the selection no longer has", async () => {
    const at = await openRoom(scene());
    const allow = minor >= 26 ? "--prune-allowlist" : "--prune-whitelist";
    const list = (...names: string[]): object => ({
      apiVersion: "v1",
      kind: "List",
      items: names.map((name) => configMap(name, {}, { set: at.namespace })),
    });
    const prune = `apply --prune -l set=${at.namespace} ${allow}=core/v1/ConfigMap -f -`;
    await at.ok(prune, list("a", "b", "c"));
    await at.ok("create -f -", configMap("other"));
    assert.match(await at.ok(prune, list("a")), /configmap\/b pruned\nconfigmap\/c pruned\n/);
    assert.equal(await at.ok("get cm -o name"), "configmap/a\nconfigmap/other\n");
  });

  it("apply --prune without an allowlist names a kind that is not served", async () => {
    const at = await openRoom(scene());
    const list = (...names: string[]): object => ({
      apiVersion: "v1",
      kind: "List",
      items: names.map((name) => configMap(name, {}, { set: at.namespace })),
    });
    await at.ok("apply -f -", list("a", "b"));
    const prune = `apply --prune -l set=${at.namespace} -f -`;
    assert.match(await at.refused(prune, list("a", "c")), /no matches for kind "Endpoints"/);
    assert.equal(await at.ok("get cm -o name"), "configmap/a\nconfigmap/b\nconfigmap/c\n");
  });

  it(
    "apply --applyset keeps the set in its parent and prunes by it",
    since(minor, 27),
    async () => {
      const at = await openRoom(scene());
      const env = { KUBECTL_APPLYSET: "true" };
      const apply = async (...names: string[]): Promise<string> => {
        const items = names.map((name) => widget(name));
        const input = { apiVersion: "v1", kind: "List", items };
        const ran = await at.run("apply --prune --applyset=configmap/set -f -", { input, env });
        assert.equal(ran.code, 0, ran.stderr);
        return ran.stdout;
      };
      assert.match(await apply("one", "two"), /one (created|serverside-applied)/);
      const labels = "get cm set -o jsonpath={.metadata.labels}";
      assert.match(await at.ok(labels), /applyset\.kubernetes\.io\/id":"applyset-/);
      assert.match(await apply("one"), /widget\.e2e\.example\.dev\/two pruned/);
      assert.equal(await at.ok("get wg -o name"), `${one}\n`);
    },
  );
}

function diffTests({ scene }: Stage): void {
  for (const side of [[], ["--server-side", "--force-conflicts"]]) {
    it(`${["diff", ...side].join(" ")} shows what an apply would change`, async () => {
      const at = await openRoom(scene());
      const diff = ["diff", ...side, "-f", "-"];
      await at.ok("apply -f -", widget("one", { size: 1 }));
      const changed = await at.run(diff, { input: widget("one", { size: 2 }) });
      assert.equal(changed.code, 1, changed.stderr);
      assert.match(changed.stdout, /^-  size: 1\n\+  size: 2$/m);
      const fresh = await at.run(diff, { input: widget("new") });
      assert.equal(fresh.code, 1, fresh.stderr);
      assert.match(fresh.stdout, /^\+  color: red$/m, "a difference includes defaults");
      const broken = await at.run(diff, { input: widget("one", { size: 0 }) });
      assert.ok((broken.code ?? 0) > 1, broken.stdout);
      assert.match(broken.stderr, /spec\.size/);
      assert.deepEqual(await specOf(at), { size: 1, color: "red", replicas: 1 });
      assert.equal(await at.ok("get wg -o name"), `${one}\n`);
    });
  }

  it("diff of the same says nothing", async () => {
    const at = await openRoom(scene());
    await at.ok("apply -f -", widget("one", { size: 1 }));
    assert.equal(await at.ok("diff -f -", widget("one", { size: 1 })), "");
  });
}

function definition(name: string, label: string): object {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `gears.${name}`, labels: { label } },
    spec: {
      group: name,
      scope: "Cluster",
      names: { plural: "gears", singular: "gear", kind: "Gear" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
