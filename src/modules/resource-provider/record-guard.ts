// The records of this surface are its own: what an Operation or an AppliedSpec says is believed by
// everyone who polls, so nobody else writes it, whatever their role. They may be labelled and
// deleted like any other resource.

import type { AdmissionPlugin, AdmissionRequest } from "../../intents/admission/admission.ts";
import { forbidden } from "../../intents/refusals.ts";
import { equalJson, getOwn } from "../../kernel/json.ts";
import { armSurfaceName } from "./envelope-guard.ts";
import { appliedKind, operationKind } from "./face.ts";

export const recordGuard: AdmissionPlugin = {
  name: "ResourceManagerRecords",
  validate: (request) => {
    const { target, caller } = request;
    const { served } = target;
    if (served.id !== operationKind && served.id !== appliedKind) return;
    if (caller.through === armSurfaceName || !saysAnother(request)) return;
    const why = "only the Resource Manager surface writes it";
    throw forbidden(served.storedKind, target.name, why);
  },
};

function saysAnother({ operation, object, old }: AdmissionRequest): boolean {
  if (operation === "CREATE") return true;
  if (object === undefined || old === undefined) return false;
  return ["spec", "status"].some(
    (part) => !equalJson(getOwn(object, part) ?? null, getOwn(old, part) ?? null),
  );
}
