import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import { childKindsOf } from "./child-kinds.ts";
import { objectTree } from "./object-tree.ts";
import type { TreeObject } from "./object-tree.ts";

function object(uid: string, owners: readonly string[] = [], shown: JsonObject = {}): TreeObject {
  const at = { group: "", version: "v1", kind: "Pod", namespace: "shop", name: uid };
  return { at, uid, owners, shown };
}

/** As in "web(rs(pod-1 pod-2))". */
function textOf(nodes: readonly JsonObject[]): string {
  return nodes
    .map((node) => {
      const below = textOf(objectsAt(node, "children"));
      return `${textAt(node, "name")}${below === "" ? "" : `(${below})`}`;
    })
    .join(" ");
}

describe("the tree of a deployment", () => {
  test("has below each object those that name its uid, in a stable order", () => {
    const managed = [object("web", [], { status: "Synced" }), object("db")];
    const below = [
      object("pod-2", ["rs"]),
      object("rs", ["web"], { health: { status: "Healthy", message: "" } }),
      object("pod-1", ["rs"]),
      object("stray", ["other"]),
    ];
    const { nodes, omitted } = objectTree(managed, below);
    assert.equal(textOf(nodes), "web(rs(pod-1 pod-2)) db");
    assert.equal(omitted, 0);
    assert.equal(textAt(nodes[0], "status"), "Synced");
    assert.equal(textAt(objectsAt(nodes[0], "children")[0], "health", "status"), "Healthy");
    assert.deepEqual(objectTree(managed, below.toReversed()), { nodes, omitted });
  });

  test("has each object once, also with owners in a circle", () => {
    const managed = [object("a"), object("b", ["a"]), object("")];
    const below = [object("c", ["a", "b", "d"]), object("d", ["c"]), object("a", ["d"])];
    assert.equal(textOf(objectTree(managed, below).nodes), "a(c(d)) b ");
  });

  test("counts what is beyond its bounds", () => {
    const { maxTreeDepth, maxTreeObjects } = gitopsLimits;
    const chain = Array.from({ length: maxTreeDepth + 2 }, (_, at) =>
      object(`${at + 1}`, [`${at}`]),
    );
    const deep = objectTree([object("0")], chain);
    assert.equal(deep.omitted, 1, "what is below an object that is left out is not counted");
    assert.equal(textOf(deep.nodes).split("(").length - 1, maxTreeDepth);
    const many = Array.from({ length: maxTreeObjects + 3 }, (_, at) => object(`p${at}`, ["0"]));
    const wide = objectTree([object("0")], many);
    assert.equal(wide.omitted, 3);
    assert.equal(objectsAt(wide.nodes[0], "children").length, maxTreeObjects);
  });
});

describe("the kinds below objects of another server", () => {
  const kindsBelow = (...kinds: readonly string[]): readonly string[] =>
    childKindsOf(
      kinds.map((text) => {
        const [group = "", kind = ""] = text.split("/");
        return { group, kind };
      }),
    ).map(({ kind }) => kind);

  test("are those of the controllers of the managed kinds, owners first", () => {
    assert.deepEqual(kindsBelow("/ConfigMap", "rbac.authorization.k8s.io/Role"), []);
    assert.deepEqual(kindsBelow("apps/Deployment", "/Service"), [
      "ReplicaSet",
      "EndpointSlice",
      "Pod",
    ]);
    assert.deepEqual(kindsBelow("batch/CronJob"), ["Job", "Pod"]);
  });

  test("are all of them below a custom resource", () => {
    const kinds = kindsBelow("example.dev/Site");
    assert.equal(kinds.length, 8);
    assert.ok(kinds.indexOf("Deployment") < kinds.indexOf("ReplicaSet"));
    assert.ok(kinds.indexOf("ReplicaSet") < kinds.indexOf("Pod"));
  });
});
