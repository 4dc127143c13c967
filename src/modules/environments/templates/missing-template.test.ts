import assert from "node:assert/strict";
import { test } from "node:test";
import { missingTemplate } from "./missing-template.ts";

test("a name without a version, or with an unknown one, means the newest version", () => {
  const names = ["shop.v9", "shop.v10", "web.v1"];
  assert.equal(
    missingTemplate("shop", names),
    'there is no Template "shop" in the namespace; did you mean shop.v10?',
  );
  assert.match(missingTemplate("shop.v11", names), /did you mean shop\.v10\?$/);
  assert.match(missingTemplate("wev.v1", names), /did you mean web\.v1\?$/);
  assert.equal(missingTemplate("db", names), 'there is no Template "db" in the namespace');
});
