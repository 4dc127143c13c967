// Admission of sync windows: the checks that the schema cannot express.

import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { invalid } from "../../../intents/refusals.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { equalJson } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { deploymentsKind, policiesKind } from "../names.ts";
import { isTimeZone, parseSchedule } from "./schedule.ts";

const paths = new Map([
  [deploymentsKind, ["spec", "syncPolicy", "windows"]],
  [policiesKind, ["spec", "windows"]],
]);

export const windowGuard: AdmissionPlugin = {
  name: "GitOpsWindows",
  validate: ({ target, object, old }) => {
    const path = paths.get(target.served.id);
    if (object === undefined || path === undefined) return;
    const windows = objectsAt(object, ...path);
    // A status or a label can be written whatever the windows are.
    if (equalJson([...windows], [...objectsAt(old, ...path)])) return;
    const errors = windows.flatMap((window, at) =>
      windowErrors(window, `${path.join(".")}[${at}]`),
    );
    if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
  },
};

function windowErrors(window: JsonObject, field: string): readonly FieldError[] {
  const schedule = textAt(window, "schedule");
  const zone = textAt(window, "timeZone");
  const problem = parseSchedule(schedule);
  return [
    ...(typeof problem === "string" ? [invalidField(`${field}.schedule`, schedule, problem)] : []),
    ...(zone === "" || isTimeZone(zone)
      ? []
      : [invalidField(`${field}.timeZone`, zone, "must be an IANA name such as Europe/Berlin")]),
  ];
}
