// What the next run would do, before it does: which request, which fields, and why. Looks at the
// service as a run does, and writes nothing, neither there nor here. Secrets are neither compared
// nor shown: what was applied of them is known by digests that only runs can make.

import type { Context } from "../../../engine/reconciler.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Random } from "../../../kernel/random.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { hideIn } from "../http/hiding.ts";
import type { CompiledBinding } from "../kinds/compiled-binding.ts";
import type { Difference } from "../plan/compare.ts";
import { maskSecrets, pick } from "../plan/documents.ts";
import { createBody } from "../plan/plan.ts";
import type { Plan } from "../plan/plan.ts";
import { createRequest, creationChanges } from "./creating.ts";
import type { Present } from "./observing.ts";
import { hasMoved, movedMessage } from "./placing.ts";
import { prepare } from "./prepare.ts";
import type { LoopPorts } from "./prepare.ts";
import { find, takeOver } from "./reconcile.ts";
import type { Session } from "./session.ts";
import { planUpdate, requestOf, shownChange, stuckWhy } from "./writing.ts";

export interface Preview {
  readonly action: "nothing" | "create" | "update" | "replace" | "wait" | "refuse";
  readonly message: string;
  readonly request?: JsonObject;
  readonly changes?: readonly JsonObject[];
  /** What others changed and is left as it is. */
  readonly drift?: readonly JsonObject[];
  /** The object as a spec would say it, where there is one. */
  readonly object?: JsonObject;
}

export interface PreviewPorts extends LoopPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly get: Context["references"]["get"];
}

export async function preview(
  ports: PreviewPorts,
  compiled: CompiledBinding,
  resource: Resource,
  signal: AbortSignal,
): Promise<Preview> {
  const context = lookingContext(ports, signal);
  const prepared = await prepare(ports, compiled, resource, context, "reconcile");
  if (prepared.kind === "ends") {
    const { outcome } = prepared;
    const message = "message" in outcome ? outcome.message : "";
    return { action: outcome.kind === "waiting" ? "wait" : "refuse", message };
  }
  const session: Session = { ...prepared.session, digest: () => unknownDigest };
  const { operation } = session.book.pages;
  if (operation !== undefined) {
    const message = `an operation is under way since ${textAt(operation, "since")}`;
    return { action: "wait", message };
  }
  const found = await find(session);
  if (found.kind === "ends") {
    const { outcome } = found;
    return { action: "wait", message: "message" in outcome ? outcome.message : "" };
  }
  const { observed } = found;
  if (observed.kind === "absent") return absent(session, observed.why);
  return await present(session, observed);
}

/** In the place of digests: what cannot be compared is taken for the same. */
const unknownDigest = "?";

function absent(session: Session, why: string): Preview {
  const { compiled, management, desired, fields, book } = session;
  if (management.manage === "observe") return { action: "nothing", message: `observed: ${why}` };
  if (management.id !== undefined && book.pages.lastApplied === undefined) {
    return { action: "refuse", message: `there is nothing to adopt: ${why}` };
  }
  if (hasMoved(session)) return { action: "refuse", message: movedMessage(session) };
  const { lastApplied, replacing } = book.pages;
  const policy = management.drift ?? compiled.binding.drift ?? "correct";
  const isLeft = policy === "report" || management.id !== undefined;
  if (lastApplied !== undefined && replacing === undefined && isLeft) {
    return { action: "refuse", message: `the object is gone, and is not made anew: ${why}` };
  }
  const { operations, element } = compiled.binding;
  const operation =
    element === undefined ? operations.create : (operations.patch ?? operations.replace);
  if (operation === undefined) return { action: "refuse", message: "it cannot be made" };
  const body = createBody(desired, fields, element === undefined ? operation : undefined);
  const { method, path } = createRequest(session, operation, body, {});
  return {
    action: "create",
    message: `there is no such object: ${why}`,
    request: { method, path, body: masked(session, body) },
    changes: creationChanges(session, body).map((each) => shownChange(session, each)),
  };
}

async function present(session: Session, observed: Present): Promise<Preview> {
  const object = specOf(session, observed.object);
  const refusal = await takeOver(session, observed);
  if (refusal !== undefined && "message" in refusal) {
    return { action: "refuse", message: refusal.message, object };
  }
  const { lastApplied = {} } = session.book.pages;
  const known = maskSecrets(lastApplied, session.fields, () => unknownDigest);
  const compared = isJsonObject(known) ? known : {};
  const plan = await planUpdate(withApplied(session, compared), observed);
  return { ...told(session, plan, observed), object };
}

function told(session: Session, plan: Plan, observed: Present): Preview {
  const shown = (changes: readonly Difference[]): readonly JsonObject[] =>
    changes.map((change) => shownChange(session, change));
  switch (plan.kind) {
    case "nothing": {
      const message = "the service shows what is wanted";
      return { action: "nothing", message, drift: shown(plan.drift) };
    }
    case "stuck":
      return {
        action: "refuse",
        message: `${plan.reason}: ${stuckWhy(plan.reason)}`,
        changes: shown(plan.changes),
      };
    case "recreate":
      return {
        action: "replace",
        message: "the object is removed and made anew",
        changes: shown(plan.changes),
      };
    default: {
      const { method, path } = requestOf(session, plan, observed);
      const request = { method, path, body: masked(session, plan.body) };
      const { because: message } = plan;
      const [changes, drift] = [shown(plan.changes), shown(plan.drift)];
      return { action: "update", message, request, changes, drift };
    }
  }
}

/** What may be written of the object, and neither is nor repeats a secret. */
function specOf(session: Session, object: JsonObject): JsonObject {
  const isSpec = pick(
    object,
    session.fields,
    (rule) => rule.class !== "read-only" && rule.class !== "write-only" && !rule.isSecret,
  );
  const shown = isSpec === undefined ? undefined : hideIn(isSpec, session.hide);
  return shown !== undefined && isJsonObject(shown) ? shown : {};
}

function masked(session: Session, body: Json): Json {
  if (!isJsonArray(body)) {
    const shown = maskSecrets(body, session.fields, () => "[hidden]");
    return hideIn(shown, session.hide);
  }
  // Of a list of operations the values are told by the changes, which hide what is secret.
  return body.map((operation) => {
    if (!isJsonObject(operation) || !Object.hasOwn(operation, "value")) return operation;
    return { ...operation, value: "..." };
  });
}

function withApplied(session: Session, lastApplied: JsonObject): Session {
  session.book.set({ lastApplied });
  return session;
}

/** Looks, and nothing else. */
function lookingContext(ports: PreviewPorts, signal: AbortSignal): Context {
  const nothing = (): void => undefined;
  const refuse = (): never => {
    throw new Error("a preview changes nothing");
  };
  return {
    signal,
    superseded: signal,
    token: 0,
    attempt: 1,
    clock: ports.clock,
    random: ports.random,
    log: { debug: nothing, info: nothing, warn: nothing },
    tracer: { span: async (_name, inside) => await inside() },
    status: { patch: () => Promise.resolve() },
    children: { apply: refuse, delete: refuse, list: refuse },
    references: { get: ports.get },
    externalId: undefined,
    rememberExternalId: refuse,
    remember: async (_name, make) => await make(),
    perform: refuse,
    progress: refuse,
    outside: async (_system, call) => await call(signal),
    event: nothing,
  };
}

export function previewDocument(resource: Resource, given: Preview): JsonObject {
  const { name, namespace } = resource.metadata;
  return {
    kind: "Plan",
    apiVersion: "setpoint.dev/v1",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    ...(given as unknown as JsonObject),
  };
}
