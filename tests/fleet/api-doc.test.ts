// The tables of the reference page are those of the routes.
import { equal } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fleetApiPage, renderFleetApiPage } from "../../tools/fleet/api-doc.ts";

test("the reference of the fleet API has every route and every error", async () => {
  const page = await readFile(new URL(`../../${fleetApiPage}`, import.meta.url), "utf8");
  equal(renderFleetApiPage(page), page, "run `npm run fleet:docs`");
});
