// What the next run would do about an object: looks, and tells. Secrets are neither compared nor
// shown: what was applied of them is known by digests that only runs can make.

import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Difference } from "../plan/compare.ts";
import { isMask } from "../plan/echo.ts";
import { maskSecrets, pick } from "../plan/documents.ts";
import { createBody } from "../plan/plan.ts";
import type { Plan } from "../plan/plan.ts";
import { judgeAbsence } from "./absence.ts";
import { createRequest, creationChanges } from "./creating.ts";
import type { Observed, Present } from "./observing.ts";
import { previewOfOutcome } from "./preview-result.ts";
import type { Preview } from "./preview-result.ts";
import { untilRenamed } from "./renamed.ts";
import { find, forgetAbsent, takeOver } from "./reconcile.ts";
import { notSupportedMessage, removeRequest } from "./removing.ts";
import type { Session } from "./session.ts";
import { alsoHiding, shownDocument, withoutHidden } from "./showing.ts";
import { planUpdate, requestOf, shownChange, stuckWhy } from "./writing.ts";

export async function previewObject(session: Session): Promise<Preview> {
  const { operation } = session.book.pages;
  if (operation !== undefined) return underWay(textAt(operation, "since"));
  const found = await find(session);
  if (found.kind === "ends") return previewOfOutcome(found.outcome);
  const { observed } = found;
  if (observed.kind === "absent") return await absent(session, observed);
  return await present(session, observed);
}

export function underWay(since: string): Preview {
  return { action: "wait", message: `an operation is in progress since ${since}` };
}

/** In the place of digests: what cannot be compared is taken for the same. */
export const unknownDigest = "?";

async function absent(
  session: Session,
  observed: Extract<Observed, { kind: "absent" }>,
): Promise<Preview> {
  const { why } = observed;
  const absence = judgeAbsence(session, observed);
  if (absence.kind === "ends") return previewOfOutcome(absence.outcome);
  if (forgetAbsent(session, absence.wasSeen)) return await previewObject(session);
  return creation(session, `the object does not exist: ${why}`);
}

function creation(session: Session, message: string): Preview {
  const { compiled, desired, fields } = session;
  const { operations, element } = compiled.binding;
  const operation =
    element === undefined ? operations.create : (operations.patch ?? operations.replace);
  if (operation === undefined) return { action: "refuse", message: "the object cannot be created" };
  const body = createBody(desired, fields, element === undefined ? operation : undefined);
  const { method, path } = createRequest(session, operation, body, {});
  return {
    action: "create",
    message,
    request: { method, path, body: masked(session, body) },
    changes: creationChanges(session, body).map((each) => shownChange(session, each)),
  };
}

/** One request that takes it away, and one that makes it. */
function replacement(session: Session, observed: Present, changes: readonly JsonObject[]): Preview {
  const { parent } = session;
  if (parent.kind === "ends") return { ...previewOfOutcome(parent.outcome), changes };
  const removal = removeRequest(session, observed);
  if (removal === undefined) return { action: "refuse", message: notSupportedMessage, changes };
  const { method, path } = removal;
  forgetAbsent(session, true);
  return {
    action: "replace",
    message: "the object is deleted and created again",
    request: { method, path },
    changes,
    afterwards: creation(session, "to replace the deleted object"),
  };
}

async function present(given: Session, observed: Present): Promise<Preview> {
  const session = alsoHiding(given, observed.object);
  const object = specOf(session, observed.object);
  const refusal = await takeOver(session, observed);
  if (refusal !== undefined && "message" in refusal) {
    return { action: "refuse", message: refusal.message, object };
  }
  const { lastApplied = {} } = session.book.pages;
  const known = maskSecrets(lastApplied, session.fields, () => unknownDigest);
  const compared = isJsonObject(known) ? known : {};
  const plan = await planUpdate(withApplied(session, compared), observed);
  const isObserved = session.management.manage === "observe";
  const isChange = plan.kind === "write" || plan.kind === "recreate";
  const uncertain = isChange && !isObserved ? untilRenamed(session) : undefined;
  if (uncertain !== undefined) return { ...previewOfOutcome(uncertain), object };
  const result = isObserved ? leftAlone(session, plan) : told(session, plan, observed);
  return { ...result, object };
}

/** Of what is only observed, all that differs stays as it is. */
function leftAlone(session: Session, plan: Plan): Preview {
  const message = "it is only observed, so no request is sent";
  const changes = plan.kind === "nothing" ? [] : plan.changes;
  const left = [...changes, ...("drift" in plan ? plan.drift : [])];
  return { action: "nothing", message, drift: left.map((each) => shownChange(session, each)) };
}

function told(session: Session, plan: Plan, observed: Present): Preview {
  const shown = (changes: readonly Difference[]): readonly JsonObject[] =>
    changes.map((change) => shownChange(session, change));
  switch (plan.kind) {
    case "nothing": {
      const but = plan.drift.length === 0 ? "" : ", except for changes by others, which are kept";
      const message = `the object matches the spec${but}`;
      return { action: "nothing", message, drift: shown(plan.drift) };
    }
    case "stuck":
      return {
        action: "refuse",
        message: `${plan.reason}: ${stuckWhy(plan.reason)}`,
        changes: shown(plan.changes),
      };
    case "recreate":
      return replacement(session, observed, shown(plan.changes));
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
  if (isSpec === undefined || !isJsonObject(isSpec)) return {};
  return withoutHidden(session, withoutMasks(isSpec));
}

/** A mask is not a value of the object: written back, it would replace the value. */
function withoutMasks(value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(([, item]) => !isMask(item));
  return Object.fromEntries(
    kept.map(([key, item]) => [key, isJsonObject(item) ? withoutMasks(item) : item]),
  );
}

function masked(session: Session, body: Json): Json {
  if (!isJsonArray(body)) return shownDocument(session, body);
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
