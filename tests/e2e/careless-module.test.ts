// A real server outlives what modules leave behind, and ends when it is told to.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { root } from "../../tools/stages.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const things = "/apis/careless.example/v1/namespaces/default/things";

it("a careless reconciler neither ends the server nor keeps it from ending", async () => {
  const module = join(root, "tests/e2e/careless-module.ts");
  await using server = await startSetpoint({ args: ["--module", module] });
  const apiVersion = "careless.example/v1";
  for (const name of ["float", "throw-late", "patch-late", "throw-on-abort", "hang"]) {
    const body = { apiVersion, kind: "Thing", metadata: { name }, spec: {} };
    assert.equal((await server.ask(things, { method: "POST", body })).status, 201);
  }
  for (const said of ["floating", '"late"', "left behind", "listener"]) {
    await waitUntil(`${said} to be told`, () => server.log().includes(said));
  }
  const { status } = await server.ask("/readyz");
  assert.equal(status, 200);
  const { body } = await server.ask("/metrics");
  assert.match(body.toString(), /setpoint_stray_errors_total\{[^}]*\} \d/);
  assert.equal(await server.stop(), 0);
});
