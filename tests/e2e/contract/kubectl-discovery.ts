// What kubectl learns about a server before it does anything, and what it refuses by itself because
// the server has no such kind.
import assert from "node:assert/strict";
import { it } from "node:test";
import { apiVersion, openRoom } from "./scene.ts";
import type { Stage } from "./scene.ts";

export function discoveryTests({ scene, minor }: Stage): void {
  it("version tells both versions", async () => {
    const printed = await scene().kubectl.ok(["version", "-o", "json"]);
    const { serverVersion } = JSON.parse(printed) as { serverVersion: Record<string, string> };
    assert.equal(serverVersion["major"], "1");
    assert.match(serverVersion["gitVersion"] ?? "", /^v1\.\d+\.\d+/);
    assert.match(await scene().kubectl.ok(["version"]), /Server Version/);
  });

  it("api-resources lists built-in and defined kinds with their short names", async () => {
    const printed = await scene().kubectl.ok(["api-resources"]);
    assert.match(printed, /^configmaps +cm +v1 +true +ConfigMap$/m);
    assert.match(printed, new RegExp(`^widgets +wg +${apiVersion} +true +Widget$`, "m"));
    const wide = await scene().kubectl.ok(["api-resources", "-o", "wide", "--api-group=apps"]);
    assert.ok(!wide.includes("deployments"));
    const names = await scene().kubectl.ok(["api-resources", "--verbs=list", "-o", "name"]);
    assert.ok(names.split("\n").includes("widgets.e2e.example.dev"));
    assert.ok(!names.includes("tokenreviews"));
    const global = await scene().kubectl.ok(["api-resources", "--namespaced=false"]);
    assert.match(global, /^namespaces +ns +v1 +false +Namespace$/m);
    assert.ok(!global.includes("widgets"));
  });

  it("api-versions lists every group version", async () => {
    const printed = (await scene().kubectl.ok(["api-versions"])).trim().split("\n");
    for (const name of ["v1", apiVersion, "apiextensions.k8s.io/v1", "coordination.k8s.io/v1"]) {
      assert.ok(printed.includes(name), name);
    }
  });

  it("explain shows the schemas of defined and of built-in kinds", async () => {
    const printed = await scene().kubectl.ok(["explain", "widget.spec"]);
    assert.match(printed, /KIND: +Widget/);
    assert.match(printed, /size\s+<integer> -required-\s+How big it is\./);
    assert.match(printed, /ports\s+<\[\]Object>/);
    const whole = await scene().kubectl.ok(["explain", "wg", "--recursive"]);
    assert.match(whole, /A widget for the tests\./);
    assert.match(whole, /conditions\s+<\[\]Object>/);
    assert.match(await scene().kubectl.ok(["explain", "configmap.data"]), /<map\[string\]string>/);
    const unknown = await scene().kubectl.refused(["explain", "widget.spec.weight"]);
    assert.match(unknown, /field "weight" does not exist/);
  });

  it("raw paths answer", async () => {
    assert.equal((await scene().kubectl.ok(["get", "--raw", "/readyz"])).trim(), "ok");
    assert.match(await scene().kubectl.ok(["get", "--raw", "/apis"]), /e2e\.example\.dev/);
    const missing = await scene().kubectl.refused(["get", "--raw", "/nowhere"]);
    assert.match(missing, /NotFound|not find/i);
  });

  it("kinds that are not served are refused before anything is asked of them", async () => {
    const at = await openRoom(scene());
    const noType = /the server doesn't have a resource type "(\w+)"/;
    for (const words of ["get pods", "logs deployment/a", "exec pod/a -- ls", "get nodes"]) {
      assert.match(await at.refused(words), noType, words);
    }
    await at.widget("one");
    assert.match(
      await at.refused("rollout status widget/one"),
      /no status viewer|not support|no kind "Widget" is registered/,
    );
    assert.match(await at.refused("rollout restart widget/one"), /not support|no kind "Widget"/);
    assert.match(
      await at.refused("logs widget/one"),
      /not support|cannot get the logs|no kind "Widget"/i,
    );
    assert.match(await at.refused("top pods"), /Metrics API not available/);
    assert.match(await at.refused("expose widget/one --port=1"), /cannot expose|no kind "Widget"/);
    assert.match(await at.refused("cluster-info"), noType);
    const gone = minor >= 25 ? /resource mapping not found|no matches for kind/ : /no matches/;
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    assert.match(await at.refused("create -f -", pod), gone);
  });
}
