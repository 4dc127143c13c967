// The dashboards and alert rules of deploy/monitoring/, the metrics that they name, and the tool of
// Prometheus that checks them.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { MetricDefinition } from "../../src/engine/reporting/metric-names.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { parseYaml } from "../../src/kernel/yaml.ts";
import { findPrometheus } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";

const folder = join(root, "deploy/monitoring");

/** The files `NAME-rules.yaml` and `NAME-dashboard.json`. */
export type Monitoring = "fleet" | "server";

export async function rulesOf(name: Monitoring): Promise<readonly JsonObject[]> {
  const text = await readFile(join(folder, `${name}-rules.yaml`), "utf8");
  return objectsAt(parseYaml(text).value, "groups").flatMap((group) => objectsAt(group, "rules"));
}

export async function alertsOf(name: Monitoring): Promise<readonly JsonObject[]> {
  return (await rulesOf(name)).filter((rule) => textAt(rule, "alert") !== "");
}

/** The expressions of the panels. */
export async function shownBy(name: Monitoring): Promise<readonly string[]> {
  const text = await readFile(join(folder, `${name}-dashboard.json`), "utf8");
  return objectsAt(JSON.parse(text) as Json, "panels").flatMap((panel) =>
    objectsAt(panel, "targets").map((target) => textAt(target, "expr")),
  );
}

export async function expressionsOf(name: Monitoring): Promise<readonly string[]> {
  const ofRules = (await rulesOf(name)).map((rule) => textAt(rule, "expr"));
  return [...ofRules, ...(await shownBy(name))];
}

/** Names of metrics in an expression, without those of recorded rules. */
export function namesIn(expression: string): readonly string[] {
  const withoutTexts = expression.replaceAll(/"[^"]*"/g, '""');
  const words = withoutTexts.match(/[a-zA-Z_:][a-zA-Z0-9_:]*/g) ?? [];
  return words.filter(
    (word) => /^(fleet_manager|setpoint|apiserver|process)_/.test(word) && !word.includes(":"),
  );
}

/** Metrics and labels that select or group their series, as [metric, label]. */
export function labelsIn(expression: string): readonly (readonly [string, string])[] {
  const selected = [...expression.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)\{([^}]*)\}/g)].flatMap(
    ([, name = "", matchers = ""]) =>
      [...matchers.matchAll(/([a-zA-Z_]+)\s*(?:=~|!~|!=|=)/g)].map(
        ([, label = ""]) => [name, label] as const,
      ),
  );
  const grouping = /by \(([^)]*)\)\s*\((?:rate\(|increase\()?([a-zA-Z_]+)/g;
  const grouped = [...expression.matchAll(grouping)].flatMap(([, labels = "", name = ""]) =>
    labels.split(",").map((label) => [name, label.trim()] as const),
  );
  return [...selected, ...grouped];
}

/** Checks the labels of the metrics that are in the table. Prometheus adds `instance` and `job`. */
export async function checkLabels(
  name: Monitoring,
  table: Readonly<Record<string, MetricDefinition>>,
): Promise<void> {
  for (const [metric, label] of (await expressionsOf(name)).flatMap(labelsIn)) {
    const { labels } = table[metric.replace(/_(bucket|count|sum)$/, "")] ?? table[metric] ?? {};
    if (labels === undefined || ["instance", "job", "le"].includes(label)) continue;
    assert.ok(labels.includes(label), `${metric} has no label ${label}`);
  }
}

/** `text` is the answer of /metrics. */
export async function checkNames(name: Monitoring, text: string): Promise<void> {
  const kinds = new Map<string, string>();
  for (const [, metric = "", kind = ""] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    kinds.set(metric, kind);
  }
  const names = new Set((await expressionsOf(name)).flatMap(namesIn));
  assert.ok(names.size >= 20, `${names.size} metrics`);
  for (const metric of names) {
    const base = metric.replace(/_(bucket|sum|count)$/, "");
    const isShown = kinds.has(metric) || kinds.get(base) === "histogram";
    assert.ok(isShown, `${metric} is not in /metrics`);
  }
}

export async function checkAlertTexts(name: Monitoring): Promise<void> {
  const alerts = await alertsOf(name);
  assert.ok(alerts.length >= 10);
  for (const alert of alerts) {
    const title = textAt(alert, "alert");
    assert.match(textAt(alert, "labels", "severity"), /^(critical|warning)$/, title);
    for (const part of ["summary", "description"]) {
      assert.notEqual(textAt(alert, "annotations", part), "", `${part} of ${title}`);
    }
  }
}

/** `check rules` and `test rules` of promtool. */
export async function checkWithPromtool(name: Monitoring): Promise<void> {
  const prometheus = findPrometheus();
  assert.ok(prometheus !== undefined, "run `npm run peers`");
  const promtool = join(dirname(prometheus), "promtool");
  const run = promisify(execFile);
  await run(promtool, ["check", "rules", join(folder, `${name}-rules.yaml`)]);
  await run(promtool, ["test", "rules", join(root, `tests/monitoring/${name}-rules.yaml`)]);
}
