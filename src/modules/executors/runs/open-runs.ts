// The module alone writes the records of runs: a user who could write them could show output that
// no program had. Users with the permission may delete them.

import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { systemCaller } from "../../../intents/bootstrap.ts";
import { forbidden } from "../../../intents/refusals.ts";
import type { OpenPart } from "../part.ts";
import { expireRuns } from "./expire-runs.ts";
import { logsKind, runsKind } from "./run-kinds.ts";

export const openRuns: OpenPart = ({ timers }) => ({
  admission: [recordGuard],
  start: ({ engine, ownIntents }, stops) => {
    stops.defer(engine.lead(expireRuns(ownIntents, timers)));
  },
});

const recordGuard: AdmissionPlugin = {
  name: "ExecutorRecords",
  validate: ({ operation, target, caller }) => {
    const { served } = target;
    if (served.id !== runsKind && served.id !== logsKind) return;
    if (operation === "DELETE" || caller.user.name === systemCaller.user.name) return;
    throw forbidden(served.storedKind, target.name, "only this server writes records of runs");
  },
};
