import { equal } from "node:assert/strict";
import { test } from "node:test";
import { listCost, longCost, readCost, writeCost } from "../http/admit.ts";
import { costOfRoute } from "./route-cost.ts";

test("a route that reads many documents costs the place of a list, with memory for a page", () => {
  equal(costOfRoute({ method: "GET", isList: true }), listCost);
  equal(costOfRoute({ method: "GET", stream: true }), longCost);
  equal(costOfRoute({ method: "GET" }), readCost);
  equal(costOfRoute({ method: "POST" }), writeCost);
});
