// The dashboard and the alert rules of deploy/monitoring/, against the metrics of a real server and
// with the tool of Prometheus.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { parseYaml } from "../../src/kernel/yaml.ts";
import { fleetMetrics } from "../../src/modules/fleet/metrics.ts";
import { findPrometheus } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { startFleetServer } from "./fleet-server.ts";
import type { FleetServer } from "./fleet-server.ts";

const folder = join(root, "deploy/monitoring");
const rulesFile = join(folder, "fleet-rules.yaml");

async function rules(): Promise<readonly JsonObject[]> {
  const text = await readFile(rulesFile, "utf8");
  return objectsAt(parseYaml(text).value, "groups").flatMap((group) => objectsAt(group, "rules"));
}

async function panels(): Promise<readonly JsonObject[]> {
  const text = await readFile(join(folder, "fleet-dashboard.json"), "utf8");
  return objectsAt(JSON.parse(text) as Json, "panels");
}

async function expressions(): Promise<readonly string[]> {
  const ofRules = (await rules()).map((rule) => textAt(rule, "expr"));
  const ofPanels = (await panels()).flatMap((panel) =>
    objectsAt(panel, "targets").map((target) => textAt(target, "expr")),
  );
  return [...ofRules, ...ofPanels];
}

/** Names of metrics in an expression, without those of recorded rules. */
function namesIn(expression: string): readonly string[] {
  const withoutTexts = expression.replaceAll(/"[^"]*"/g, '""');
  const words = withoutTexts.match(/[a-zA-Z_:][a-zA-Z0-9_:]*/g) ?? [];
  return words.filter(
    (word) => /^(fleet_manager|setpoint|apiserver)_/.test(word) && !word.includes(":"),
  );
}

/** Labels that a metric is selected by, as [metric, label]. */
function selectorsIn(expression: string): readonly (readonly [string, string])[] {
  const found = [...expression.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)\{([^}]*)\}/g)];
  return found.flatMap(([, name = "", matchers = ""]) =>
    [...matchers.matchAll(/([a-zA-Z_]+)\s*(?:=~|!~|!=|=)/g)].map(
      ([, label = ""]) => [name, label] as const,
    ),
  );
}

describe("the monitoring of a fleet", () => {
  let server: FleetServer;
  /** The kinds of the metrics that the server shows, by name. */
  const kinds = new Map<string, string>();

  before(async () => {
    server = await startFleetServer();
    await server.untilReady();
    const { body } = await server.setpoint.ask("/metrics");
    for (const [, name = "", kind = ""] of String(body).matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      kinds.set(name, kind);
    }
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
  });

  it("uses only metrics that a server shows", async () => {
    const names = new Set((await expressions()).flatMap(namesIn));
    assert.ok(names.size >= 20, `${names.size} metrics`);
    for (const name of names) {
      const base = name.replace(/_(bucket|sum|count)$/, "");
      const isShown = kinds.has(name) || kinds.get(base) === "histogram";
      assert.ok(isShown, `${name} is not in /metrics`);
    }
  });

  it("selects metrics of the fleet only by labels that they have", async () => {
    for (const [name, label] of (await expressions()).flatMap(selectorsIn)) {
      const base = name.replace(/_bucket$/, "");
      if (!Object.hasOwn(fleetMetrics, base)) continue;
      const { labels } = fleetMetrics[base as keyof typeof fleetMetrics];
      assert.ok(labels.includes(label), `${name} has no label ${label}`);
    }
  });

  it("shows every metric of the fleet on the dashboard", async () => {
    const all = (await panels()).flatMap((panel) =>
      objectsAt(panel, "targets").flatMap((target) => namesIn(textAt(target, "expr"))),
    );
    const shown = new Set(all.map((name) => name.replace(/_bucket$/, "")));
    for (const name of Object.keys(fleetMetrics)) assert.ok(shown.has(name), name);
  });

  it("gives every alert a severity, a summary and what to do", async () => {
    const alerts = (await rules()).filter((rule) => textAt(rule, "alert") !== "");
    assert.ok(alerts.length >= 10);
    for (const alert of alerts) {
      const name = textAt(alert, "alert");
      assert.match(textAt(alert, "labels", "severity"), /^(critical|warning)$/, name);
      for (const part of ["summary", "description"]) {
        assert.notEqual(textAt(alert, "annotations", part), "", `${part} of ${name}`);
      }
    }
  });

  it("passes the checks and the unit tests of promtool", async () => {
    const prometheus = findPrometheus();
    assert.ok(prometheus !== undefined, "run `npm run peers`");
    const promtool = join(dirname(prometheus), "promtool");
    const run = promisify(execFile);
    await run(promtool, ["check", "rules", rulesFile]);
    await run(promtool, ["test", "rules", join(root, "tests/fleet/fleet-rules.yaml")]);
  });
});
