// What a run says to people: its log, its events, its progress, and the messages of its conditions.
// Authors put into them what systems outside answered, and a secret of the resource is easily part
// of that, so each leaves the run without those. Fields of the status are no messages: they are
// written as they are, and their own rules say who sees them.

import { getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Outcome, Readiness } from "../outcome.ts";
import type { RunLog } from "../reconciler.ts";
import type { Run } from "./run.ts";
import { hidingOf } from "./without-secrets.ts";
import type { Hiding } from "./without-secrets.ts";

export function shownText(run: Run, text: string): string {
  if (typeof text !== "string" || text === "") return text;
  return hidingIn(run)?.text(text) ?? text;
}

export function shownError(run: Run, error: unknown): unknown {
  const hiding = hidingIn(run);
  return hiding === undefined ? error : hiding.value(error);
}

/** The server's log, as a run may use it. */
export function shownLog(run: Run): RunLog {
  const { key, around } = run;
  const log: RunLog = around.ports.authorLog ?? around.ports.log;
  const trace = run.traceId;
  const named = { kind: key.kind, namespace: key.namespace, name: key.name, trace };
  const say = (level: keyof RunLog): RunLog[keyof RunLog] => {
    return (fields, message) => {
      const hiding = hidingIn(run);
      if (hiding === undefined) return log[level]({ ...named, ...fields }, message);
      const shown: Record<string, unknown> = { ...named, ...fields };
      for (const name of Object.keys(shown)) shown[name] = hiding.value(shown[name]);
      log[level](shown, shownText(run, message));
    };
  };
  return { debug: say("debug"), info: say("info"), warn: say("warn") };
}

export function shownOutcome(run: Run, outcome: Outcome): Outcome {
  const { status, ready } = outcome;
  const hasMessage = "message" in outcome && outcome.message !== "";
  if (!hasMessage && status === undefined && ready === undefined) return outcome;
  const hiding = hidingIn(run);
  if (hiding === undefined) return outcome;
  return {
    ...outcome,
    ...("message" in outcome ? { message: hiding.text(outcome.message) } : {}),
    ...(status === undefined ? {} : { status: withoutIn(status, hiding) }),
    ...(ready === undefined ? {} : { ready: readinessWithout(ready, hiding) }),
  };
}

/** Fields of a status, the conditions of the author among them. */
export function shownStatus(run: Run, fields: JsonObject): JsonObject {
  if (!Object.hasOwn(Object(fields) as object, "conditions")) return fields;
  const hiding = hidingIn(run);
  return hiding === undefined ? fields : withoutIn(fields, hiding);
}

/** What a run was given may have been changed since, by its own status or by others. */
function hidingIn(run: Run): Hiding | undefined {
  const { resources } = run.around.ports;
  const secretsIn = (resource: Resource): readonly string[] =>
    resources.secretsOf?.(run.key.kind, resource) ?? [];
  const [given, now] = [run.loaded(), run.current()];
  return hidingOf(now === given ? secretsIn(now) : [...secretsIn(given), ...secretsIn(now)]);
}

function readinessWithout(ready: Readiness | "keep", { text }: Hiding): Readiness | "keep" {
  return ready === "keep" ? ready : { ...ready, message: text(ready.message) };
}

function withoutIn(fields: JsonObject, { text }: Hiding): JsonObject {
  const conditions = getOwn(fields, "conditions");
  if (!isJsonArray(conditions)) return fields;
  const shown = (condition: Json): Json => {
    const message = isJsonObject(condition) ? getOwn(condition, "message") : undefined;
    if (!isJsonObject(condition) || typeof message !== "string") return condition;
    return { ...condition, message: text(message) };
  };
  return { ...fields, conditions: conditions.map(shown) };
}
