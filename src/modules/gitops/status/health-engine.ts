// Health in a process: rules of the deployment, HealthRules, the built-in table, and the conditions
// that the engine of a Setpoint server writes.

import { isTrueNow, observedGeneration } from "../../../kernel/current-conditions.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { withinUnits } from "../../../kernel/inline-time.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { hasObject, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { valueAt } from "../../../kernel/json-read.ts";
import { isPausing } from "../../../kernel/paused.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { gitopsLimits } from "../limits.ts";
import type { ObjectReference } from "../object-reference.ts";
import { builtInRule, needsObservedGeneration } from "./builtin-health.ts";
import { assessByRule, compileHealthRule } from "./health-rule.ts";
import type { HealthRule } from "./health-rule.ts";
import type { Health, HealthEngine, HealthRules } from "./health.ts";

export interface HealthInput {
  /** The specs of all HealthRules, in the order of their names. */
  readonly healthRules: () => readonly JsonObject[];
  /** Whether a server of this product writes the status of the kind. */
  readonly isReconciled: (at: ObjectReference) => boolean;
}

export function healthEngine(input: HealthInput): HealthEngine {
  const compiled = new Map<string, HealthRule>();
  /** By its text, so that equal generations and equal rules are compiled once. */
  const compile = (rule: JsonObject): HealthRule => {
    const text = JSON.stringify(rule);
    const found = compiled.get(text) ?? compileHealthRule(rule);
    compiled.delete(text);
    compiled.set(text, found);
    const [oldest] = compiled.keys();
    if (compiled.size > gitopsLimits.maxCompiledHealthRules && oldest !== undefined) {
      compiled.delete(oldest);
    }
    return found;
  };
  const stated = (): readonly JsonObject[] =>
    input.healthRules().flatMap((each) => objectsAt(each, "rules"));
  return {
    rulesFor: (spec) => {
      const rules = [...objectsAt(spec, "healthChecks"), ...stated()];
      return new Rules(rules, compile, input.isReconciled);
    },
    stated,
  };
}

class Rules implements HealthRules {
  readonly #stated: readonly JsonObject[];
  readonly #compile: (rule: JsonObject) => HealthRule;
  readonly #isReconciled: HealthInput["isReconciled"];
  /** By group and kind. */
  readonly #found = new Map<string, HealthRule | undefined>();
  #unitsLeft: number = gitopsLimits.maxHealthUnits;

  constructor(
    stated: readonly JsonObject[],
    compile: (rule: JsonObject) => HealthRule,
    isReconciled: HealthInput["isReconciled"],
  ) {
    this.#stated = stated;
    this.#compile = compile;
    this.#isReconciled = isReconciled;
  }

  assess(at: ObjectReference, live: JsonObject | undefined): Health | undefined {
    const found = this.#assess(at, live);
    if (found === undefined) return undefined;
    return { ...found, message: shortText(found.message, gitopsLimits.maxHealthMessageChars) };
  }

  #assess(at: ObjectReference, live: JsonObject | undefined): Health | undefined {
    if (live === undefined) return { status: "Missing", message: "" };
    if (valueAt(live, "metadata", "deletionTimestamp") !== undefined) {
      return { status: "Progressing", message: "the object is being deleted" };
    }
    const marks = objectAt(live, "metadata", "annotations");
    if (isPausing(marks[annotations.paused])) {
      return { status: "Suspended", message: "work on the object is paused" };
    }
    if (isBehind(at, live)) {
      return { status: "Progressing", message: "the controller has not seen the last change" };
    }
    const rule = this.#ruleOf(at);
    if (rule !== undefined) return this.#byRule(rule, at, live);
    const builtIn = builtInRule(at.group, at.kind);
    if (builtIn !== undefined) return builtIn(live);
    return this.#isReconciled(at) || isWrittenByEngine(live) ? byConditions(live) : undefined;
  }

  /** The first rule for the kind counts. Without a group, a rule is about all groups. */
  #ruleOf({ group, kind }: ObjectReference): HealthRule | undefined {
    const key = `${group}/${kind}`;
    if (this.#found.has(key)) return this.#found.get(key);
    const stated = this.#stated.find(
      (rule) =>
        textAt(rule, "kind") === kind &&
        (rule["group"] === undefined || textAt(rule, "group") === group),
    );
    const rule = stated === undefined ? undefined : this.#compile(stated);
    this.#found.set(key, rule);
    return rule;
  }

  #byRule(rule: HealthRule, at: ObjectReference, live: JsonObject): Health {
    const most = Math.min(gitopsLimits.maxHealthUnitsOfObject, this.#unitsLeft);
    const shown = withoutSecrets(at, live);
    const done = most > 0 ? withinUnits(most, () => assessByRule(rule, shown)) : undefined;
    this.#unitsLeft -= done?.units ?? Math.max(0, most);
    if (done !== undefined) return done.result;
    const message = "the health rules need too much work: make them simpler";
    return { status: "Unknown", message };
  }
}

/** Rules of deployments see no value of a Secret, because their messages are shown. */
function withoutSecrets({ group, kind }: ObjectReference, live: JsonObject): JsonObject {
  if (group !== "" || kind !== "Secret") return live;
  return withoutKey(withoutKey(live, "data"), "stringData");
}

function isBehind({ group, kind }: ObjectReference, live: JsonObject): boolean {
  const generation = numberAt(live, "metadata", "generation");
  if (generation === undefined) return false;
  const observed = numberAt(live, "status", "observedGeneration");
  return observed === undefined ? needsObservedGeneration(group, kind) : observed < generation;
}

/** Also of another server: such resources have both conditions. */
function isWrittenByEngine(live: JsonObject): boolean {
  return (
    hasObject(live, "status", "reconcile") ||
    (conditionOf(live, "Ready") !== undefined && conditionOf(live, "Synced") !== undefined)
  );
}

function byConditions(live: JsonObject): Health {
  const synced = conditionOf(live, "Synced");
  const observed = observedGeneration(live, synced) ?? 0;
  const isCurrent = observed >= (numberAt(live, "metadata", "generation") ?? 0);
  if (textAt(synced, "status") === "False" && isCurrent) {
    return { status: "Degraded", message: textAt(synced, "message") };
  }
  if (isTrueNow(live, "Ready")) return { status: "Healthy", message: "" };
  const message = textAt(conditionOf(live, "Ready"), "message");
  return { status: "Progressing", message: message || "the resource is not ready yet" };
}

function conditionOf(live: JsonObject, type: string): JsonObject | undefined {
  const conditions = objectsAt(live, "status", "conditions");
  return conditions.find((condition) => textAt(condition, "type") === type);
}
