// Two services that Connect was not developed with, imported from small documents and managed to
// their end: Syncthing, whose users choose the ids, and Node-RED, which assigns them. What the
// service itself shows is compared, through no proxy.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { root } from "../../tools/stages.ts";
import { startProgram } from "../peers/child.ts";
import { startNodeRed } from "../peers/node-red.ts";
import type { Service } from "../peers/service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { startSyncthing, syncthingKey } from "../peers/syncthing.ts";
import { isReady } from "../peers/resources.ts";
import { applyDocument, Resources } from "./rig.ts";
import type { Managed } from "./rig.ts";

let server: Setpoint;
let syncthing: Service;
let nodeRed: Service;

before(async () => {
  [server, syncthing, nodeRed] = await Promise.all([
    startSetpoint(),
    startSyncthing(),
    startNodeRed(),
  ]);
});
after(async () => {
  for (const peer of [nodeRed, syncthing, server]) await peer?.[Symbol.asyncDispose]();
});

async function imported(name: string, service: Service, group: string): Promise<void> {
  const document = join(root, `tests/connect/${name}.openapi.yaml`);
  const place = ["--apply", "--kubeconfig", server.kubeconfig, "--base-url", service.url];
  const named = ["--group", group, "--connection", name];
  const args = ["connect", "import", document, ...place, ...named];
  await using program = await startProgram("src/cli/main.ts", { args });
  const { code } = await program.waitForExit({ limitMs: 120_000 });
  assert.equal(code, 0, `${program.stdout()}${program.stderr()}`);
}

const resources = (group: string, kind: string): Resources =>
  new Resources(() => server, { apiVersion: `${group}/v1`, kind });

async function live(service: Service, path: string): Promise<JsonObject | undefined> {
  const { status, json } = await service.ask("GET", path);
  return status === 404 ? undefined : (json as JsonObject);
}

describe("folders of Syncthing, whose ids the user chooses", () => {
  const group = "sync.imported.dev";
  const folders = resources(group, "Folder");
  const path = "/rest/config/folders/docs";

  before(async () => {
    await imported("syncthing", syncthing, group);
    await applyDocument(server, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "syncthing", namespace: "default" },
      stringData: { key: syncthingKey },
    });
  });

  it("a folder is created, and not written again", async () => {
    const spec = {
      id: "docs",
      label: "Documents",
      path: join(syncthing.folder, "docs"),
      paused: true,
      versioning: { type: "trashcan", params: { cleanoutDays: "7" } },
    };
    await folders.create("docs", spec);
    const one = await folders.ready("docs");
    assert.equal(one.status?.connect?.id, "docs");
    const shown = await live(syncthing, path);
    assert.equal(shown?.["label"], "Documents");
    assert.deepEqual(shown?.["versioning"], {
      ...spec.versioning,
      cleanupIntervalS: 3600,
      fsPath: "",
      fsType: "basic",
    });
    const write = one.status?.connect?.lastWrite;
    for (let round = 0; round < 3; round += 1) await folders.reconcile("docs");
    assert.deepEqual((await folders.present("docs")).status?.connect?.lastWrite, write);
  });

  it("a change of the spec changes only the field, and the service keeps its own", async () => {
    const earlier = await live(syncthing, path);
    await folders.patch("docs", { spec: { label: "Papers", rescanIntervalS: 60 } });
    await folders.ready("docs");
    const shown = await live(syncthing, path);
    assert.deepEqual(shown, { ...earlier, label: "Papers", rescanIntervalS: 60 });
  });

  it("a change by another client is corrected", async () => {
    await syncthing.ask("PATCH", path, { label: "Other", maxConflicts: 3 });
    await folders.reconcile("docs");
    const shown = await live(syncthing, path);
    assert.deepEqual([shown?.["label"], shown?.["maxConflicts"]], ["Papers", 3]);
  });

  it("the id of a folder cannot be changed", async () => {
    const { status, text } = await folders.tryPatch("docs", { spec: { id: "other" } });
    assert.equal(status, 422, text);
  });

  it("a deleted resource deletes the folder", async () => {
    await folders.delete("docs");
    await folders.gone("docs");
    assert.equal(await live(syncthing, path), undefined);
    assert.deepEqual((await syncthing.ask("GET", "/rest/config/folders")).json, []);
  });
});

describe("flows of Node-RED, whose ids the service assigns", () => {
  const group = "flows.imported.dev";
  const flows = resources(group, "Flow");
  const comment = { id: "a1b2c3", type: "comment", name: "one", x: 100, y: 80, wires: [] };
  const tabs = async (): Promise<readonly string[]> => {
    const { json } = await nodeRed.ask("GET", "/flows");
    const all = objectsAt({ all: json as JsonObject[] }, "all");
    return all.flatMap((node) => (textAt(node, "type") === "tab" ? textAt(node, "id") : []));
  };

  before(async () => {
    await imported("node-red", nodeRed, group);
  });

  it("a flow is created once, under the id of the service", async () => {
    await flows.create("shop", { label: "Shop", nodes: [comment] });
    const one = await flows.ready("shop");
    const id = one.status?.connect?.id ?? "";
    assert.deepEqual(await tabs(), [id]);
    const shown = await live(nodeRed, `/flow/${id}`);
    assert.deepEqual([shown?.["label"], objectsAt(shown ?? {}, "nodes").length], ["Shop", 1]);
    for (let round = 0; round < 3; round += 1) await flows.reconcile("shop");
    assert.deepEqual(await tabs(), [id]);
  });

  it("a change of the spec keeps the id, and one by another client is corrected", async () => {
    const [id = ""] = await tabs();
    const nodes = [{ ...comment, name: "two" }];
    await flows.patch("shop", { spec: { label: "Store", info: "for tests", nodes } });
    await flows.ready("shop");
    const shown = await live(nodeRed, `/flow/${id}`);
    assert.deepEqual([shown?.["label"], shown?.["info"]], ["Store", "for tests"]);
    assert.equal(textAt(objectsAt(shown ?? {}, "nodes")[0], "name"), "two");
    await nodeRed.ask("PUT", `/flow/${id}`, { ...shown, label: "Other" });
    await flows.reconcile("shop");
    assert.equal((await live(nodeRed, `/flow/${id}`))?.["label"], "Store");
    assert.deepEqual(await tabs(), [id]);
  });

  it("a flow that another client deleted is created again, with another id", async () => {
    const [id = ""] = await tabs();
    await nodeRed.ask("DELETE", `/flow/${id}`);
    await flows.reconcile("shop");
    const isNew = (one: Managed): boolean => isReady(one) && one.status?.connect?.id !== id;
    const one = await flows.until("shop", "created again", isNew);
    assert.deepEqual(await tabs(), [one.status?.connect?.id]);
  });

  it("a deleted resource deletes the flow", async () => {
    await flows.delete("shop");
    await flows.gone("shop");
    assert.deepEqual(await tabs(), []);
  });
});
