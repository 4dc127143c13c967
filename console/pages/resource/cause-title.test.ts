import assert from "node:assert/strict";
import { test } from "node:test";
import { causeTitle } from "./cause-title.ts";

test("the cause begins with the state, as the name is the title of the page", () => {
  const orders = { kind: { kind: "Database" }, name: "orders" };
  assert.equal(
    causeTitle("Database/orders is not ready: waiting for Network/net-1", orders),
    "Not ready: waiting for Network/net-1",
  );
  assert.equal(
    causeTitle("Database/orders is not ready: not ready, and no run is scheduled", orders),
    "Not ready, and no run is scheduled",
  );
  assert.equal(causeTitle("Something else", orders), "Something else");
});
