import assert from "node:assert/strict";
import { test } from "node:test";
import { armIdOf } from "./providers.ts";

const subscription = "/subscriptions/11111111-2222-3333-4444-555555555555";

test("the id of a resource names its group, type and name, whatever the case of its words", () => {
  assert.deepEqual(
    armIdOf(`${subscription}/resourceGroups/shop/providers/Example.Bakery/ovens/a`),
    {
      group: "shop",
      type: "Example.Bakery/ovens",
      name: "a",
    },
  );
  assert.deepEqual(armIdOf(`${subscription}/resourcegroups/Shop/Providers/P.Q/ovens/a/trays/b`), {
    group: "Shop",
    type: "P.Q/ovens/trays",
    name: "a/b",
  });
});

test("a text that is not the id of a resource in a group is none", () => {
  assert.equal(armIdOf(subscription), undefined);
  assert.equal(armIdOf(""), undefined);
});
