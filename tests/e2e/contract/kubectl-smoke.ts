// The short way through all of kubectl, for each further version of it that is at hand.
import assert from "node:assert/strict";
import { it } from "node:test";
import { group, openRoom, widget } from "./scene.ts";
import type { Stage } from "./scene.ts";

export function smokeTests({ scene }: Stage): void {
  it("makes, applies, reads, patches, describes, scales, watches, waits and deletes", async () => {
    const at = await openRoom(scene());
    const one = `widget.${group}/one`;
    assert.match(await at.ok("explain widget.spec"), /How big it is/);
    assert.equal(await at.ok("create -f -", widget("zero")), `widget.${group}/zero created\n`);
    assert.equal(await at.ok("apply -f -", widget("one")), `${one} created\n`);
    assert.equal(await at.ok("apply -f -", widget("one", { size: 4 })), `${one} configured\n`);
    await at.ok("apply --server-side --force-conflicts -f -", widget("one", { size: 5 }));
    assert.match(await at.ok("get wg"), /^one +5 +\d+s$/m);
    await using watching = at.follow("get wg -w");
    await watching.waitFor(/^zero/m);
    assert.equal((await at.run("diff -f -", { input: widget("one", { size: 6 }) })).code, 1);
    await at.ok(["patch", "wg", "one", "--type=merge", "-p", '{"spec":{"size":7}}']);
    await watching.waitFor(/^one +7/m);
    await at.ok("label wg one a=b");
    await at.ok("scale wg/one --replicas=2");
    assert.match(await at.ok("describe wg one"), /Replicas: +2/);
    await at.ok("create configmap cm --from-literal=a=1");
    await at.ok("create secret generic s --from-literal=a=1");
    assert.equal(await at.ok("auth can-i create widgets"), "yes\n");
    await using waiting = at.follow("wait --for=delete wg/one --timeout=100s");
    await at.ok("delete wg one");
    assert.equal((await waiting.end()).code, 0);
    assert.match(await at.ok("api-resources"), /^widgets/m);
  });
}
