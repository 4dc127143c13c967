// Deleting in every form, and waiting: both live from watches that start after a list.
import assert from "node:assert/strict";
import { it } from "node:test";
import { waitUntil } from "../../peers/wait.ts";
import { apiVersion, configMap, group, openRoom, post, since, widget } from "./scene.ts";
import type { Room, Stage } from "./scene.ts";

const one = `widget.${group}/one`;

export function deletingTests(stage: Stage): void {
  deleteTests(stage);
  cascadeTests(stage);
  waitTests(stage);
}

function deleteTests({ scene }: Stage): void {
  it("delete removes what is named, selected or all", async () => {
    const at = await openRoom(scene());
    for (const name of ["one", "two", "three", "four"]) {
      await at.widget(name, { size: 1 }, { odd: String(name.length === 3) });
    }
    assert.match(await at.ok("delete wg one"), /^widget\.e2e\.example\.dev "one" deleted/);
    assert.match(await at.refused("delete wg one"), /NotFound.*"one" not found/);
    assert.equal(await at.ok("delete wg one --ignore-not-found"), "");
    assert.match(await at.ok("delete wg -l odd=true"), /"two" deleted/);
    assert.match(await at.ok("delete wg --all"), /"four" deleted.*\n.*"three" deleted/);
    assert.match((await at.run("delete wg --all")).stdout, /No resources found/);
    await at.ok("create -f -", configMap("cm"));
    const file = await at.file("cm.json", configMap("cm"));
    assert.match(await at.ok(["delete", "-f", file]), /^configmap "cm" deleted/);
  });

  it("delete --dry-run keeps, --force and --now do not", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    await at.widget("two");
    assert.match(await at.ok("delete wg one --dry-run=server"), /deleted.*\(server dry run\)/);
    assert.match(await at.ok("delete wg one --dry-run=client"), /deleted.*\(dry run\)/);
    await at.ok("get wg one");
    assert.match(await at.ok("delete wg one --grace-period=0 --force"), /"one" force deleted/);
    assert.match(await at.ok("delete wg two --now"), /"two" deleted/);
    assert.match(await at.refused("get wg one"), /NotFound/);
  });

  it("delete waits for finalizers, unless told not to", async () => {
    const at = await openRoom(scene());
    const held = { ...widget("one"), metadata: { name: "one", finalizers: ["example.dev/hold"] } };
    await at.ok("create -f -", held);
    await at.ok("delete wg one --wait=false");
    assert.match(await at.refused("delete wg one --timeout=1s"), /timed out waiting/);
    assert.match(await at.ok("get wg one -o jsonpath={.metadata.deletionTimestamp}"), /Z$/);
    await using deletion = at.follow("delete wg one");
    await deletion.waitFor(/"one" deleted/);
    const release = [
      "patch",
      "wg",
      "one",
      "--type=merge",
      "-p",
      '{"metadata":{"finalizers":null}}',
    ];
    await at.ok(release);
    assert.equal((await deletion.end()).code, 0);
    assert.match(await at.refused("get wg one"), /NotFound/);
  });

  it("delete namespace removes all that is in it", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    await at.ok("create -f -", configMap("cm"));
    await scene().kubectl.ok(["delete", "namespace", at.namespace]);
    assert.match(await at.refused("get wg one"), /NotFound/);
    assert.match(await at.refused("create -f -", widget("one")), /namespaces ".*" not found/);
    const safe = await scene().kubectl.refused(["delete", "namespace", "default"]);
    assert.match(safe, /Forbidden.*this namespace may not be deleted/);
  });

  it("delete crd removes the kind and its objects", async () => {
    const at = await openRoom(scene());
    const kinds = `${at.namespace}.example.dev`;
    await at.ok("create -f -", definition(kinds));
    await at.ok(`wait --for=condition=Established crd/gears.${kinds}`);
    await at.ok("create -f -", {
      apiVersion: `${kinds}/v1`,
      kind: "Gear",
      metadata: { name: "g" },
    });
    assert.match(await at.ok(`get gears.${kinds}`), /^g +/m);
    assert.match(await at.ok(`delete crd gears.${kinds}`), /deleted/);
    const gone = await at.refused(`get gears.${kinds} g`);
    assert.match(gone, /doesn't have a resource type|could not find the requested resource/);
  });
}

function cascadeTests({ scene }: Stage): void {
  const family = async (at: Room): Promise<void> => {
    await at.widget("owner");
    const uid = await at.ok("get wg owner -o jsonpath={.metadata.uid}");
    const owner = { apiVersion, kind: "Widget", name: "owner", uid, blockOwnerDeletion: true };
    await post(scene().server, `/api/v1/namespaces/${at.namespace}/configmaps`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "child", ownerReferences: [owner] },
    });
  };

  for (const cascade of ["background", "foreground"]) {
    it(`delete --cascade=${cascade} takes what is owned along`, async () => {
      const at = await openRoom(scene());
      await family(at);
      await at.ok(`delete wg owner --cascade=${cascade}`);
      assert.match(await at.refused("get wg owner"), /NotFound/);
      const isGone = async (): Promise<boolean> => (await at.run("get cm child")).code === 1;
      await waitUntil("the end of the child", isGone);
    });
  }

  it("delete --cascade=orphan leaves it, without its owner", async () => {
    const at = await openRoom(scene());
    await family(at);
    await at.ok("delete wg owner --cascade=orphan");
    assert.match(await at.refused("get wg owner"), /NotFound/);
    assert.equal(await at.ok("get cm child -o jsonpath={.metadata.ownerReferences}"), "");
  });
}

function waitTests({ scene, minor }: Stage): void {
  const status = async (at: Room, value: object): Promise<void> => {
    const path = `/apis/${apiVersion}/namespaces/${at.namespace}/widgets/one/status`;
    const { status: code, body } = await scene().server.ask(path, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: { status: value },
    });
    assert.equal(code, 200, body.toString());
  };

  it("wait ends when a condition holds", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    await using waiting = at.follow("wait --for=condition=Ready wg/one --timeout=100s");
    const early = await at.refused("wait --for=condition=Ready wg/one --timeout=1s");
    assert.match(early, /timed out waiting for the condition/);
    await status(at, { conditions: [{ type: "Ready", status: "True" }] });
    await waiting.waitFor(/condition met/);
    assert.equal(await at.ok("wait --for=condition=Ready wg/one"), `${one} condition met\n`);
    assert.equal(await at.ok("wait --for=condition=Ready wg --all"), `${one} condition met\n`);
    assert.match(
      await at.refused("wait --for=condition=Ready=False wg/one --timeout=1s"),
      /timed out/,
    );
  });

  it("wait ends when a field has a value", since(minor, 23), async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    await using waiting = at.follow(
      "wait --for=jsonpath={.status.replicas}=2 wg/one --timeout=100s",
    );
    await status(at, { replicas: 1 });
    await status(at, { replicas: 2 });
    await waiting.waitFor(/condition met/);
  });

  it("wait ends when an object is gone", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    await using waiting = at.follow("wait --for=delete wg/one --timeout=100s");
    assert.match(await at.refused("wait --for=delete wg/one --timeout=1s"), /timed out/);
    await at.ok("delete wg one");
    assert.equal((await waiting.end()).code, 0);
  });

  it("wait ends when an object is made", since(minor, 31), async () => {
    const at = await openRoom(scene());
    await using waiting = at.follow("wait --for=create wg/one --timeout=100s");
    await at.widget("one");
    await waiting.waitFor(/condition met/);
  });
}

function definition(name: string): object {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `gears.${name}` },
    spec: {
      group: name,
      scope: "Namespaced",
      names: { plural: "gears", singular: "gear", kind: "Gear" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
