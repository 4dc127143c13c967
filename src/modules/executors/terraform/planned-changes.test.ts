import assert from "node:assert/strict";
import { it } from "node:test";
import { plannedChanges } from "./planned-changes.ts";

it("the changes of a plan have no sensitive values, and mark unknown ones", () => {
  const change = (actions: readonly string[], more: object): object => ({
    address: "x.a",
    mode: "managed",
    change: { actions, ...more },
  });
  const plan = {
    resource_changes: [
      change(["create"], {
        before: null,
        after: { input: 1, token: "s3cret" },
        after_unknown: { id: true },
        before_sensitive: false,
        after_sensitive: { token: true },
      }),
      change(["no-op"], {}),
      change(["delete", "create"], { before: { a: 1 }, after: { a: 2 }, after_unknown: {} }),
      change(["no-op"], { importing: { id: "7" } }),
    ],
  };
  assert.deepEqual(plannedChanges(plan as never), [
    {
      address: "x.a",
      action: "create",
      fields: [
        { path: "id", isUnknown: true },
        { path: "input", after: 1 },
        { path: "token", isSecret: true },
      ],
    },
    { address: "x.a", action: "replace", fields: [{ path: "a", before: 1, after: 2 }] },
    { address: "x.a", action: "import", fields: [] },
  ]);
});
