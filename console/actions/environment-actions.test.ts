import assert from "node:assert/strict";
import { test } from "node:test";
import type { KindInfo } from "../api/kinds.ts";
import { environmentActions } from "./environment-actions.ts";

test("each action of an environment copies its command of setpoint env", () => {
  const kind = { id: "environments.environments.setpoint.dev" } as KindInfo;
  const subject = { kind, namespace: "shop", name: "p7" };
  assert.deepEqual(
    environmentActions.map(({ command }) => command?.(subject)),
    [
      "setpoint env extend p7 1h -n shop",
      "setpoint env retry p7 -n shop",
      "setpoint env cancel p7 -n shop",
      "setpoint env drift p7 -n shop",
      "setpoint env drift p7 -n shop --reconcile",
      "setpoint env deploy p7 -n shop",
      "setpoint env destroy p7 -n shop",
    ],
  );
});
