import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds, kindsFrom } from "../../api/kinds.ts";
import { aboutOf, filterOf, timelineQuery } from "./filter.ts";

const now = Date.UTC(2026, 10, 14, 14, 41);

test("a resource is named by its kind, its name, or both", () => {
  kinds.value = kindsFrom([
    {
      metadata: { name: "shop.example" },
      versions: [
        {
          version: "v1",
          resources: [
            {
              resource: "databases",
              responseKind: { kind: "Database" },
              scope: "Namespaced",
              singularResource: "database",
              verbs: ["list"],
            },
          ],
        },
      ],
    },
  ]);
  const kind = "databases.shop.example";
  assert.deepEqual(aboutOf("Database/orders"), { kind, name: "orders" });
  assert.deepEqual(aboutOf("databases.shop.example/orders"), { kind, name: "orders" });
  assert.deepEqual(aboutOf(" database "), { kind });
  assert.deepEqual(aboutOf("orders"), { name: "orders" });
  assert.deepEqual(aboutOf("pods/x"), { kind: "pods", name: "x" });
  assert.deepEqual(aboutOf(""), {});
});

test("the last minutes become an instant, and win over an interval", () => {
  const filter = filterOf(new URLSearchParams("last=60&from=2026-01-01T00:00:00Z&actor=admin"));
  const { from, actor, namespace } = timelineQuery(filter, "shop", now);
  assert.deepEqual([from, actor, namespace], ["2026-11-14T13:41:00.000Z", "admin", "shop"]);
  const interval = filterOf(
    new URLSearchParams("from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"),
  );
  const { from: since, to } = timelineQuery(interval, "", now);
  assert.deepEqual([since, to], ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]);
});
