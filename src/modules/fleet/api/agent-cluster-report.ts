// What an agent reports about its cluster: readiness, operators with the versions that they can
// run, and capacity. A report that is not understood is refused with the field. Pure.

import { SetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import { isTrueAt, listAt, numberAt, objectAt, objectsAt } from "../../../kernel/json-read.ts";
import { textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import { dnsLabelProblems } from "../../../kernel/names.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { compareVersions } from "../placement/versions.ts";
import { singularOf } from "./agent-view.ts";

/** Throws fleet.validation. `last` is the stored report: an empty list of operators keeps it. */
export function clusterReportOf(
  sent: JsonObject,
  offering: Offering,
  last: JsonObject | undefined,
): JsonObject {
  const operators = operatorsOf(sent, offering);
  const kept = operators.length === 0 ? listAt(last, "operators") : operators;
  const capacity = capacityOf(objectAt(sent, "capacity"));
  const unavailable = unavailableOf(objectAt(sent, "unavailable"));
  return { ...readiness(objectsAt(sent, "conditions")), operators: kept, capacity, ...unavailable };
}

function readiness(conditions: readonly JsonObject[]): JsonObject {
  const ready = conditions.find((condition) => textAt(condition, "type") === "Ready");
  if (ready === undefined) {
    const message = "the report has no condition Ready";
    return { isReady: false, reason: "NoReadyCondition", message };
  }
  const status = textAt(ready, "status").toLowerCase();
  if (!["true", "false", "unknown"].includes(status)) {
    throw invalid("conditions", "the status of the condition Ready must be True, False or Unknown");
  }
  const isReady = status === "true";
  const reason = textAt(ready, "reason") || (isReady ? "Ready" : "NotReady");
  const message = shortText(textAt(ready, "message"), fleetLimits.maxReportMessageChars);
  return {
    isReady,
    reason: shortText(reason, 256).toWellFormed(),
    message: message.toWellFormed(),
  };
}

/** As `operators`, or under the name that agents of the service use: `dinosaurOperator`. */
function operatorsOf(sent: JsonObject, offering: Offering): readonly JsonObject[] {
  const singular = singularOf(offering);
  const field = valueAt(sent, "operators") === undefined ? `${singular}Operator` : "operators";
  const given = listAt(sent, field);
  if (given.length > maxOperators) throw invalid(field, `has more than ${maxOperators} entries`);
  const operators = given.map((operator) => {
    if (!isJsonObject(operator)) throw invalid(field, "must be a list of objects");
    const versions = [
      ...textsAt(operator, "versions"),
      ...textsAt(operator, `${singular}Versions`),
    ];
    if (versions.length > maxOperators) throw invalid(field, "has too many versions");
    return {
      version: checkedVersion(field, textAt(operator, "version")),
      isReady: isTrueAt(operator, "ready"),
      versions: versions.map((version) => checkedVersion(field, version)).toSorted(compareVersions),
    };
  });
  return operators.toSorted((one, other) => compareVersions(one.version, other.version));
}

const maxOperators = 100;
const versionPattern = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

function checkedVersion(field: string, version: string): string {
  const isShort = version.length <= fleetLimits.maxVersionChars;
  if (isShort && versionPattern.test(version)) return version;
  throw invalid(
    field,
    `${JSON.stringify(shortText(version, 40))} is not a version such as 1.2.3-4`,
  );
}

const maxTypes = 20;
const maxUnits = 1_000_000;

function capacityOf(sent: JsonObject): JsonObject {
  const entries = Object.entries(sent);
  if (entries.length > maxTypes) throw invalid("capacity", `has more than ${maxTypes} types`);
  return Object.fromEntries(
    entries.map(([type, units]) => {
      if (!/^[a-z0-9][-a-z0-9]{0,62}$/.test(type)) throw invalid("capacity", "has an invalid type");
      return [type, { ...amount(units, "maxUnits"), ...amount(units, "remainingUnits") }];
    }),
  );
}

function unavailableOf(sent: JsonObject): JsonObject {
  const entries = Object.entries(sent);
  if (entries.length === 0) return {};
  if (entries.length > fleetLimits.maxOfferings) {
    throw invalid("unavailable", `has more than ${fleetLimits.maxOfferings} Offerings`);
  }
  const reasons = entries.map(([name]) => {
    const named = shortText(name, 40).toWellFormed();
    if (dnsLabelProblems(name).length > 0) {
      throw invalid("unavailable", `${JSON.stringify(named)} is not the name of an Offering`);
    }
    const reason = shortText(textAt(sent, name), fleetLimits.maxReportMessageChars).toWellFormed();
    return [name, reason || "no reason was given"] as const;
  });
  return { unavailable: Object.fromEntries(reasons) };
}

function amount(units: Json, field: string): JsonObject {
  if (valueAt(units, field) === undefined) return {};
  const given = numberAt(units, field) ?? Number.NaN;
  if (Number.isSafeInteger(given) && given >= -1 && given <= maxUnits) return { [field]: given };
  throw invalid("capacity", `${field} must be a whole number from -1 to ${maxUnits}`);
}

function invalid(field: string, why: string): SetpointError {
  return new SetpointError("fleet.validation", `${field}: ${why}`, { details: { field } });
}
