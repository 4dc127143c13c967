/**
 * Reconciles GitOpsDeploymentSets: one deployment for each combination. The deployments are
 * children: they are deleted with the set, and a change of one wakes it.
 */
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome, Readiness } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { compileTemplate } from "../../../kernel/template/template.ts";
import { gitopsLimits } from "../limits.ts";
import { deploymentSetsKind, deploymentsKind } from "../names.ts";
import { combinationsOf, variablesOf } from "./combinations.ts";
import { decideSet, renderSet } from "./decide-set.ts";
import type { Rendered, SetDecision } from "./decide-set.ts";
import { readGenerators } from "./read-generators.ts";
import type { GeneratorPorts, ReadGenerators } from "./read-generators.ts";
import { reportSet } from "./report-set.ts";
import type { SetFacts } from "./report-set.ts";

export function setReconciler(ports: GeneratorPorts): Reconciler {
  return {
    kind: deploymentSetsKind,
    // Changes of deployments, sources and environments wake it; this bounds what is lost.
    resyncMs: 600_000,
    reconcile: async (set, context) => await reconcile(ports, set, context),
  };
}

async function reconcile(ports: GeneratorPorts, set: Resource, context: Context): Promise<Outcome> {
  const read = await readGenerators(ports, set, context);
  const present = await context.children.list(deploymentsKind);
  const facts: SetFacts = { set, read, present, nowMs: context.clock.nowMs() };
  if (read.isPending) return reported({ ...facts, problems: ["a repository is being read"] });
  if (read.problems.length > 0) {
    const problems = read.problems.map(({ message }) => message);
    return reported({ ...facts, problems }, gitopsLimits.setRetryMs);
  }
  const rendered = render(set, read);
  const decision = decideSet(rendered, present, removalRules(set));
  const written = await write(decision, context);
  const left = written.count > 0 ? await context.children.list(deploymentsKind) : present;
  const problems = [...rendered.problems, ...written.problems];
  const { isComplete } = written;
  const after = isComplete ? read.againMs : 1;
  return reported({ ...facts, present: left, rendered, decision, problems }, after);
}

function render({ metadata, spec }: Resource, read: ReadGenerators): Rendered {
  const { maxSetDeployments } = gitopsLimits;
  const combinations = combinationsOf(read.lists, maxSetDeployments);
  if (combinations === undefined) {
    const problem =
      `more than ${maxSetDeployments} deployments are generated: ` +
      "narrow include of spec.generate, or use several sets";
    return { wanted: [], problems: [problem] };
  }
  const variables = variablesOf(spec as never);
  const compiled = compileTemplate(objectAt(spec, "template"), variables, "spec.template");
  if (compiled.kind === "failed") {
    const problems = compiled.errors.map(({ path, detail }) => `${path}: ${detail}`);
    return { wanted: [], problems };
  }
  const { name, namespace = "" } = metadata;
  return renderSet(compiled.template, combinations, { name, namespace });
}

function removalRules({ spec }: Resource): Parameters<typeof decideSet>[2] {
  const removal = objectAt(spec, "removal");
  return {
    keeps: textAt(removal, "policy") === "Keep",
    allowEmpty: valueAt(removal, "allowEmpty") === true,
    confirmed: textAt(removal, "confirm"),
  };
}

interface Written {
  readonly count: number;
  readonly problems: readonly string[];
  /** False: the next run continues. */
  readonly isComplete: boolean;
}

/** A deployment that is refused does not stop the others. */
async function write({ apply, remove }: SetDecision, context: Context): Promise<Written> {
  const problems: string[] = [];
  const most = gitopsLimits.setWritesPerRun;
  let count = 0;
  for (const { name, from, document } of apply) {
    if (count >= most) return { count, problems, isComplete: false };
    try {
      await context.children.apply(document);
      count += 1;
    } catch (error) {
      if (!isSetpointError(error) || error.code === "claim.lost") throw error;
      if (error.retry === "backoff") throw error;
      problems.push(`${name} (${from}): ${error.message}`);
    }
  }
  for (const name of remove) {
    if (count >= most) return { count, problems, isComplete: false };
    await context.children.delete({ kind: deploymentsKind, name });
    count += 1;
  }
  return { count, problems, isComplete: true };
}

function reported(facts: SetFacts, againMs?: number): Outcome {
  const { status, reason, message, isReady } = reportSet(facts);
  const ready: Readiness = { status: isReady ? "True" : "False", reason, message };
  if (againMs === undefined) return done({ status, ready });
  return isReady
    ? done({ status, ready, resyncMs: againMs })
    : again(againMs, { status, ready, reason, message });
}
