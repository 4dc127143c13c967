/** Checks the metrics that a user module declares. */
import type { MetricDefinition } from "../engine/reporting/metric-names.ts";

const types: Readonly<Record<MetricDefinition["kind"], true>> = {
  counter: true,
  gauge: true,
  histogram: true,
};

/** Names with these prefixes are those of the server and its built-in modules. */
const ownPrefixes = ["setpoint_", "apiserver_", "process_"];

/** Describes what is wrong, starting with the field; undefined when valid. */
export function metricsProblem(metrics: unknown): string | undefined {
  if (typeof metrics !== "object" || metrics === null) {
    return "metrics must map the name of each metric to its definition";
  }
  for (const [name, definition] of Object.entries(metrics)) {
    const problem = nameProblem(name) ?? definitionProblem(definition);
    if (problem !== undefined) return `metrics[${JSON.stringify(name)}] ${problem}`;
  }
  return undefined;
}

function nameProblem(name: string): string | undefined {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return "must have letters, digits and _ only";
  const own = ownPrefixes.find((prefix) => name.startsWith(prefix));
  return own === undefined ? undefined : `must not start with ${own}`;
}

function definitionProblem(definition: unknown): string | undefined {
  if (typeof definition !== "object" || definition === null) return "must be a definition";
  const { kind, help, labels } = definition as Partial<MetricDefinition>;
  if (kind === undefined || !Object.hasOwn(types, kind)) {
    return `must have a kind: ${Object.keys(types).join(", ")}`;
  }
  if (typeof help !== "string" || help === "") return "must have a help text";
  // Prometheus refuses the whole page for one line that it cannot read.
  if (/[\r\n\\]/.test(help)) return "must have a help text of one line, without backslashes";
  if (!Array.isArray(labels)) return "must have labels: a list of strings";
  const bad = (labels as readonly unknown[]).find((label) => !isLabel(label, kind));
  return bad === undefined ? undefined : `has the label ${JSON.stringify(bad)}: ${labelRule}`;
}

const labelRule = "use letters, digits and _, not __ at the start, and not le in a histogram";

function isLabel(label: unknown, kind: MetricDefinition["kind"]): boolean {
  if (typeof label !== "string" || (kind === "histogram" && label === "le")) return false;
  return /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/.test(label);
}
