// The dashboard and the alert rules of servers, and the page that explains them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { builtInModules } from "../../src/app/modules.ts";
import { engineMetrics } from "../../src/engine/reporting/metric-names.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { root } from "../../tools/stages.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { alertsOf, checkAlertTexts, checkLabels, checkNames, checkWithPromtool } from "./rules.ts";

describe("the monitoring of servers", () => {
  it("uses only metrics that a server shows", async () => {
    await using server = await startSetpoint();
    const { body } = await server.ask("/metrics");
    await checkNames("server", String(body));
  });

  it("selects and groups metrics only by labels that they have", async () => {
    const ofModules = builtInModules.flatMap(({ metrics = {} }) => Object.entries(metrics));
    await checkLabels("server", { ...engineMetrics, ...Object.fromEntries(ofModules) });
  });

  it("gives every alert a severity, a summary and what to do", async () => {
    await checkAlertTexts("server");
  });

  it("explains every alert on the page", async () => {
    const page = await readFile(join(root, "docs/how-to/monitor-servers.md"), "utf8");
    for (const alert of await alertsOf("server")) {
      const name = textAt(alert, "alert");
      assert.ok(page.includes(`\`${name}\``), name);
    }
  });

  it("passes the checks and the unit tests of promtool", async () => {
    await checkWithPromtool("server");
  });
});
