import { doesNotThrow, throws } from "node:assert/strict";
import { test } from "node:test";
import type { AdmissionRequest } from "../../../intents/admission/admission.ts";
import { credentialsKind, managedEnvironmentsKind } from "../names.ts";
import { secretGuard } from "./secret-guard.ts";

const kinds = [
  [credentialsKind, "secret"],
  [managedEnvironmentsKind, "credentialsSecret"],
] as const;

for (const [id, field] of kinds) {
  test(`${id} may name only a Secret that the user may get`, () => {
    const spec = { [field]: "mine" };
    const kind = { group: "gitops.setpoint.dev", names: { plural: "things" } };
    const request = {
      operation: "CREATE",
      target: { served: { id, kind }, namespace: "a", name: "one", subresource: "" },
      caller: { user: { name: "ada", groups: [], extra: {} } },
      object: { metadata: { name: "one" }, spec },
    } as unknown as AdmissionRequest;
    const written = (allowed: boolean) => (): unknown =>
      secretGuard({ authorize: () => ({ allowed, reason: "" }) }).validate?.(request);
    doesNotThrow(written(true));
    throws(written(false), new RegExp(`spec.${field}.*cannot get the Secret`));
  });
}
