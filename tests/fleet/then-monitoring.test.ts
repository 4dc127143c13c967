// The dashboard and the alert rules of fleets.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fleetMetrics } from "../../src/modules/fleet/metrics.ts";
import { startFleetServer } from "./fleet-server.ts";
import {
  checkAlertTexts,
  checkLabels,
  checkNames,
  checkWithPromtool,
  namesIn,
  shownBy,
} from "../monitoring/rules.ts";

describe("the monitoring of a fleet", () => {
  it("uses only metrics that a server shows", async () => {
    await using server = await startFleetServer();
    await server.untilReady();
    const { body } = await server.setpoint.ask("/metrics");
    await checkNames("fleet", String(body));
  });

  it("selects metrics of the fleet only by labels that they have", async () => {
    await checkLabels("fleet", fleetMetrics);
  });

  it("shows every metric of the fleet on the dashboard", async () => {
    const all = (await shownBy("fleet")).flatMap(namesIn);
    const shown = new Set(all.map((name) => name.replace(/_bucket$/, "")));
    for (const name of Object.keys(fleetMetrics)) assert.ok(shown.has(name), name);
  });

  it("gives every alert a severity, a summary and what to do", async () => {
    await checkAlertTexts("fleet");
  });

  it("passes the checks and the unit tests of promtool", async () => {
    await checkWithPromtool("fleet");
  });
});
