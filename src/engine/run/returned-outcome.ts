// What a reconciler returned, or an error carried, as an outcome that can be relied on. Reconcilers
// may be written without types, and pass on what systems outside said: texts are bounded here, each
// field is read once, and what has not the shape of an outcome becomes a failure that says so.

import type { JsonObject } from "../../kernel/json.ts";
import { failed } from "../outcome.ts";
import type { Blocker, Failed, Outcome, Readiness } from "../outcome.ts";

type Fields = { readonly [name: string]: unknown };

/** As Kubernetes has it for conditions, but shorter. */
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const longestReason = 128;
/** Kubernetes takes no longer ones in conditions. */
const longestMessage = 32_768;
const longestName = 512;
const mostBlockers = 10_000;

/** Nearly always a `return` that was forgotten. */
const nothingReturned = mistaken(
  "the reconciler returned nothing; return done(), again(), waiting() or failed()",
);

export function outcomeReturned(value: unknown): Outcome {
  if (value === undefined || value === null) return nothingReturned;
  try {
    return isFields(value) ? checked(value) : invalid("it is not an object");
  } catch {
    return invalid("it cannot be read");
  }
}

function checked(given: Fields): Outcome {
  const { kind, status, ready } = given;
  if (status !== undefined && !isFields(status)) return invalid("its status is not an object");
  const readiness = readinessIn(ready);
  if (readiness === "invalid") return invalid('its ready is neither a readiness nor "keep"');
  const reported = {
    // Whether it can be written is for the store to say; what it is made of is checked there.
    ...(status === undefined ? {} : { status: status as JsonObject }),
    ...(readiness === undefined ? {} : { ready: readiness }),
  };
  switch (kind) {
    case "done": {
      const { resyncMs } = given;
      const isPace = typeof resyncMs === "number" && !Number.isNaN(resyncMs);
      return { kind, ...reported, ...(isPace ? { resyncMs } : {}) };
    }
    case "again": {
      const { afterMs, reason, message } = given;
      const delay = typeof afterMs === "number" ? afterMs : Number.NaN;
      const said = { reason: reasonIn(reason, "InProgress"), message: messageIn(message) };
      return { kind, ...reported, afterMs: delay, ...said };
    }
    case "waiting": {
      const on = blockersIn(given["on"]);
      if (on === undefined) return invalid("its `on` is not a list of references");
      if (on.length === 0) return invalid("its `on` is empty; name at least one reference");
      return { kind, ...reported, on, message: messageIn(given["message"]) };
    }
    case "failed":
      return { kind, ...reported, ...failureIn(given) };
    default:
      return invalid("its kind is not done, again, waiting or failed");
  }
}

function failureIn({ retry, reason, message, afterMs, isCounted }: Fields): Omit<Failed, "kind"> {
  const isDelay = typeof afterMs === "number" && !Number.isNaN(afterMs);
  return {
    retry: retry === "slow" || retry === "never" ? retry : "soon",
    reason: reasonIn(reason, "ReconcileError"),
    message: messageIn(message),
    ...(isDelay ? { afterMs } : {}),
    ...(isCounted === false ? { isCounted } : {}),
  };
}

function readinessIn(given: unknown): Readiness | "keep" | "invalid" | undefined {
  if (given === undefined || given === "keep") return given;
  if (!isFields(given)) return "invalid";
  const { status, reason, message } = given;
  if (status !== "True" && status !== "False" && status !== "Unknown") return "invalid";
  return { status, reason: reasonIn(reason, "Unspecified"), message: messageIn(message) };
}

function blockersIn(given: unknown): readonly Blocker[] | undefined {
  if (!Array.isArray(given) || given.length > mostBlockers) return undefined;
  const found: Blocker[] = [];
  for (const each of given as readonly unknown[]) {
    if (!isFields(each)) return undefined;
    const { kind, namespace, name, condition, isThere } = each;
    if (!isName(kind) || !isName(name)) return undefined;
    if (namespace !== undefined && typeof namespace !== "string") return undefined;
    if (condition !== undefined && typeof condition !== "string") return undefined;
    found.push({
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      ...(condition === undefined ? {} : { condition: condition.slice(0, longestName) }),
      ...(isThere === true ? { isThere } : {}),
    });
  }
  return found;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= longestName;
}

function reasonIn(given: unknown, instead: string): string {
  const isFine = typeof given === "string" && given.length <= longestReason;
  return isFine && reasonPattern.test(given) ? given : instead;
}

function messageIn(given: unknown): string {
  return typeof given === "string" ? given.slice(0, longestMessage) : "";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(why: string): Failed {
  return mistaken(`the reconciler did not return an outcome: ${why}`);
}

function mistaken(message: string): Failed {
  return failed("InvalidOutcome", message, { retry: "slow" });
}
