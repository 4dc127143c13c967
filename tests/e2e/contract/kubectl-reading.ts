// Every way in which kubectl reads: tables, documents, selections, pages, watches, descriptions and
// events.
import assert from "node:assert/strict";
import { it } from "node:test";
import { apiVersion, configMap, group, openRoom, post, since } from "./scene.ts";
import type { Room, Stage } from "./scene.ts";

async function threeWidgets(at: Room): Promise<void> {
  await at.widget("one", { size: 3 }, { app: "web", tier: "1" });
  await at.widget("two", { size: 1, color: "blue" }, { app: "web" });
  await at.widget("three", { size: 2 }, { app: "db" });
}

export function readingTests(stage: Stage): void {
  tableTests(stage);
  documentTests(stage);
  selectionTests(stage);
  watchTests(stage);
  eventTests(stage);
}

function tableTests({ scene, minor }: Stage): void {
  it("get prints the columns of the kind", async () => {
    const at = await openRoom(scene());
    assert.equal((await at.run("get wg")).stderr.trim().split(" in ")[0], "No resources found");
    await threeWidgets(at);
    const rows = (await at.ok("get widgets")).trimEnd().split("\n");
    assert.match(rows[0] ?? "", /^NAME +SIZE +AGE$/);
    assert.deepEqual(
      rows.slice(1).map((row) => row.replaceAll(/ +\d+s$/g, "").replaceAll(/ +/g, " ")),
      ["one 3", "three 2", "two 1"],
    );
    assert.match(await at.ok("get wg -o wide"), /^two +1 +blue +\d+s$/m);
    assert.match(await at.ok("get wg two --no-headers"), /^two +1 +\d+s$/m);
    assert.match(await at.ok(`get widgets.${group}/one`), /^one +3 +\d+s$/m);
    assert.match(await at.ok("get widgets.v1.e2e.example.dev one two"), /^one.*\n^two/m);
    assert.match(await at.ok("get wg --show-labels"), /^one +3 +\d+s +app=web,tier=1$/m);
    assert.match(await at.ok("get wg -L app"), /^three +2 +\d+s +db$/m);
    assert.match(await at.ok("get wg --show-kind"), /^widget\.e2e\.example\.dev\/one +3/m);
    assert.match(await at.ok("get all"), /^(widget\.e2e\.example\.dev\/)?one +3/m);
    assert.match(await at.ok("get wg,cm"), /^widget\.e2e\.example\.dev\/two +1 +\d+s$/m);
  });

  it("get prints the columns of built-in kinds", async () => {
    const at = await openRoom(scene());
    const data = configMap("cm", { a: "1", b: "2" });
    await post(scene().server, `/api/v1/namespaces/${at.namespace}/configmaps`, data);
    assert.match(await at.ok("get cm cm"), /^NAME +DATA +AGE\ncm +2 +\d+s$/m);
    assert.match(await at.ok("get ns default"), /^default +Active +\d+[sm]/m);
    assert.match(await at.ok(`get crd widgets.${group}`), /NAME +CREATED AT\nwidgets\.e2e.*Z$/m);
    assert.match(await at.ok("get sa"), /^NAME +.*AGE\ndefault/m);
  });

  it("get --server-print=false lets kubectl make the table", async () => {
    const at = await openRoom(scene());
    await threeWidgets(at);
    assert.match(await at.ok("get wg --server-print=false"), /^NAME +AGE\none +\d+s\n/m);
  });

  it("get --sort-by sorts by a field of the whole object", async () => {
    const at = await openRoom(scene());
    await threeWidgets(at);
    const rows = await at.ok("get wg --sort-by=.spec.size --no-headers");
    assert.deepEqual([...rows.matchAll(/^\w+/gm)].flat(), ["two", "three", "one"]);
  });

  it("get --subresource reads the part", since(minor, 24), async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    assert.match(await at.ok("get wg one --subresource=status"), /^one +3/m);
    const scale = await at.json<{ kind: string; spec: { replicas: number } }>(
      "get wg one --subresource=scale -o json",
    );
    assert.deepEqual([scale.kind, scale.spec.replicas], ["Scale", 1]);
  });
}

function documentTests({ scene, minor }: Stage): void {
  it("get -o prints documents, names, paths and own columns", async () => {
    const at = await openRoom(scene());
    await threeWidgets(at);
    assert.match(await at.ok("get wg one -o yaml"), /^apiVersion: e2e\.example\.dev\/v1\nkind: W/);
    const list = await at.json<{ kind: string; items: { kind: string; apiVersion: string }[] }>(
      "get wg -o json",
    );
    assert.equal(list.kind, "List");
    assert.deepEqual(
      list.items.map((item) => `${item.kind} ${item.apiVersion}`),
      Array.from({ length: 3 }, () => `Widget ${apiVersion}`),
    );
    assert.equal(await at.ok("get wg two -o name"), "widget.e2e.example.dev/two\n");
    assert.equal(await at.ok("get wg two -o jsonpath={.spec.color}"), "blue");
    assert.equal(await at.ok("get wg -o jsonpath={.items[*].spec.size}"), "3 2 1");
    assert.equal(await at.ok(["get", "wg", "-o", "go-template={{len .items}}"]), "3");
    assert.match(
      await at.ok("get wg -o custom-columns=A:.metadata.name,B:.spec.color"),
      /^A +B\none +red\nthree +red\ntwo +blue\n$/,
    );
    const file = await at.file("two.json", {
      apiVersion,
      kind: "Widget",
      metadata: { name: "two" },
    });
    assert.equal(await at.ok(["get", "-f", file, "-o", "name"]), "widget.e2e.example.dev/two\n");
  });

  it("get of what is not there says so", async () => {
    const at = await openRoom(scene());
    assert.equal(
      await at.refused("get wg nobody"),
      'Error from server (NotFound): widgets.e2e.example.dev "nobody" not found\n',
    );
    assert.equal(await at.ok("get wg nobody --ignore-not-found"), "");
  });

  it("get --show-managed-fields shows who set what", since(minor, 21), async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    assert.ok(!(await at.ok("get wg one -o yaml")).includes("managedFields"));
    assert.match(await at.ok("get wg one -o yaml --show-managed-fields"), /managedFields:/);
  });
}

function selectionTests({ scene }: Stage): void {
  it("get selects by label, by field and across namespaces", async () => {
    const at = await openRoom(scene());
    await threeWidgets(at);
    const names = async (...words: string[]): Promise<string> =>
      (await at.ok(["get", "wg", "-o", "jsonpath={.items[*].metadata.name}", ...words])).trim();
    assert.equal(await names("-l", "app=web"), "one two");
    assert.equal(await names("-l", "app in (web,db),tier!=1"), "three two");
    assert.equal(await names("-l", "!tier"), "three two");
    assert.equal(await names("--field-selector=metadata.name=two"), "two");
    assert.equal(await names("--field-selector=spec.color=blue"), "two");
    assert.equal(await names("--field-selector=spec.color!=blue,metadata.name!=one"), "three");
    assert.match(await names("-A", "-l", "app"), /^(\w+ )*one three two/);
    assert.match(
      await at.refused("get wg --field-selector=spec.size=3"),
      /BadRequest.*field label not supported: spec\.size/,
    );
    assert.match(await at.ok("get wg -A"), new RegExp(`^NAMESPACE.*\n(.*\n)*${at.namespace} +one`));
  });

  it("get --chunk-size reads everything in pages", async () => {
    const at = await openRoom(scene());
    for (let n = 0; n < 7; n++) await at.widget(`w${n}`);
    for (const size of [0, 1, 3, 7, 500]) {
      const names = await at.ok(`get wg -o name --chunk-size=${size}`);
      assert.equal(names.trim().split("\n").length, 7, String(size));
    }
    assert.equal((await at.ok("get wg --no-headers --chunk-size=2")).trim().split("\n").length, 7);
  });
}

function watchTests({ scene }: Stage): void {
  it("get -w prints what there is and then what comes", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    await using rows = at.follow("get wg -w");
    await rows.waitFor(/^one +3/m);
    await using documents = at.follow("get wg -w -o name");
    await documents.waitFor(/widget\.e2e\.example\.dev\/one\n/);
    await at.widget("two");
    await at.ok(["patch", "wg", "one", "--type=merge", "-p", '{"spec":{"size":8}}']);
    await rows.waitFor(/^NAME +SIZE +AGE\none +3 .*\ntwo +3 .*\none +8 /);
    await documents.waitFor(/one\n.*two\n.*one\n/);
    await using only = at.follow("get wg -w --watch-only");
    await using events = at.follow("get wg --watch --output-watch-events");
    await events.waitFor(/^ADDED +one[^]*^ADDED +two/m);
    await at.ok("delete wg two");
    await events.waitFor(/^DELETED +two/m);
    await only.waitFor(/^two/m);
  });

  it("get NAME -w follows one object only", async () => {
    const at = await openRoom(scene());
    await at.widget("one");
    await using rows = at.follow("get wg one -w");
    await rows.waitFor(/^one +3/m);
    await at.widget("other");
    await at.ok(["patch", "wg", "one", "--type=merge", "-p", '{"spec":{"size":4}}']);
    assert.ok(!(await rows.waitFor(/^one +4/m)).includes("other"));
  });
}

function eventTests({ scene, minor }: Stage): void {
  const event = (at: Room, name: string, uid = ""): object => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.1` },
    involvedObject: { apiVersion, kind: "Widget", name, namespace: at.namespace, uid },
    reason: "Painted",
    message: `painted ${name}`,
    type: "Normal",
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    count: 1,
    source: { component: "painter" },
  });

  it("describe shows the object and its events", async () => {
    const at = await openRoom(scene());
    await threeWidgets(at);
    const uid = await at.ok("get wg two -o jsonpath={.metadata.uid}");
    const path = `/api/v1/namespaces/${at.namespace}/events`;
    await post(scene().server, path, event(at, "two", uid));
    const printed = await at.ok("describe wg two");
    assert.match(printed, /^Name: +two$/m);
    assert.match(printed, /^Labels: +app=web$/m);
    assert.match(printed, /Color: +blue/);
    assert.match(printed, /Normal +Painted +.* painter +painted two/);
    assert.match(await at.ok("describe wg t"), /^Name: +three$[^]*^Name: +two$/m);
    assert.match(await at.ok("describe wg -l app=db"), /^Name: +three$/m);
    assert.match(await at.ok(`describe ns ${at.namespace}`), /^Status: +Active$/m);
    assert.match(await at.ok("describe sa default"), /^Name: +default$/m);
    assert.match(await at.ok(`describe crd widgets.${group}`), /Kind: +Widget/);
    assert.match(await at.refused("describe wg x"), /NotFound.*widgets\.e2e\.example\.dev "x"/);
  });

  it("get events shows them through both groups", async () => {
    const at = await openRoom(scene());
    await post(scene().server, `/api/v1/namespaces/${at.namespace}/events`, event(at, "one"));
    const row = /Normal +Painted +widget\/one +painted one/;
    assert.match(await at.ok("get events"), row);
    assert.match(await at.ok("get events.events.k8s.io"), row);
    assert.match(
      await at.ok("get ev --field-selector=involvedObject.name=one,reason=Painted"),
      row,
    );
    assert.equal(await at.ok("get ev -o name --field-selector=involvedObject.name=two"), "");
  });

  it("events shows, selects and follows", since(minor, 26), async () => {
    const at = await openRoom(scene());
    const path = `/api/v1/namespaces/${at.namespace}/events`;
    await at.widget("one");
    await post(scene().server, path, event(at, "one"));
    assert.match(await at.ok("events"), /Normal +Painted +Widget\/one +painted one/);
    assert.match(await at.ok("events --for=widget/one"), /painted one/);
    assert.match((await at.run("events --for=widget/two")).stderr, /No events found/);
    assert.match((await at.run("events --types=Warning")).stderr, /No events found/);
    await using followed = at.follow("events -w");
    await followed.waitFor(/painted one/);
    await post(scene().server, path, event(at, "two"));
    await followed.waitFor(/painted two/);
  });
}
