import assert from "node:assert/strict";
import { test } from "node:test";
import { openRig } from "./rig.ts";

test("an invalid GitOpsPolicy is refused, and the message names the field", async () => {
  await using rig = await openRig();
  const refused = async (spec: Parameters<typeof rig.create>[2], why: RegExp): Promise<void> => {
    await assert.rejects(rig.create("GitOpsPolicy", "wrong", spec), why);
    assert.equal(await rig.read("GitOpsPolicy", "wrong"), undefined);
  };
  await refused(
    { repositories: { allowPrivate: { cidrs: ["10.0.0.0/33"] } } },
    /spec\.repositories\.allowPrivate\.cidrs\[0\]: .*is not a CIDR/,
  );
  await refused(
    { repositories: { allow: ["git.example/*"] } },
    /spec\.repositories\.allow\[0\]: .*begin with a protocol/,
  );
  await refused(
    { destinations: { servers: ["*", "api.example:6443"] } },
    /spec\.destinations\.servers\[1\]: .*begin with a protocol/,
  );
  await refused(
    { namespaces: { selector: { matchExpressions: [{ key: "a", operator: "Never" }] } } },
    /spec\.namespaces\.selector/,
  );
  await rig.create("GitOpsPolicy", "right", {
    namespaces: { names: ["jane"] },
    repositories: { allow: ["*", "https://git.example/*", "git@git.example:{namespace}/*"] },
  });
});
