// What is refused when a user writes a TerraformStack or a TerraformPlan, and writes of states: the
// server alone writes them.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { systemCaller } from "../../../intents/bootstrap.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { forbidden, invalid } from "../../../intents/refusals.ts";
import { forbiddenField, invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Store } from "../../../store/port.ts";
import { executorsGroup } from "../group.ts";
import { checkPolicy } from "../policy/policy-for.ts";
import { plansKind } from "./plan-kind.ts";
import { filesProblem, pathProblem, specFiles } from "./source-files.ts";
import { stacksKind } from "./stack-kind.ts";
import { statesKind, versionsKind } from "./state-kinds.ts";

export interface TerraformGuardPorts {
  readonly live: LiveView;
  readonly store: Pick<Store, "get">;
  readonly authorizer: Authorizer;
}

export function terraformGuard(ports: TerraformGuardPorts): AdmissionPlugin {
  const { live, authorizer, store } = ports;
  return {
    name: "Terraform",
    validate: async (request) => {
      checkState(request);
      await checkStateRemoval(request, store);
      const { target, operation, object, old } = request;
      const isPlan = target.served.id === plansKind;
      if ((target.served.id !== stacksKind && !isPlan) || target.subresource !== "") return;
      if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return;
      if (old !== undefined && equalJson(old.spec, object.spec)) return;
      const spec = isPlan ? objectAt(object, "spec", "spec") : objectAt(object, "spec");
      const errors = stackErrors(spec, isPlan ? "spec.spec" : "spec");
      if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
      const configMap = textAt(spec, "source", "configMap", "name");
      if (configMap !== "") {
        checkAccess(authorizer, request, { verb: "get", resource: "configmaps", name: configMap });
      }
      // A configuration can read the state that it is planned with.
      const name = textAt(object, "spec", "target");
      if (isPlan) {
        checkAccess(authorizer, request, {
          verb: "read-content",
          resource: "terraformstates",
          name,
        });
      }
      // The configuration reads the state, and the stack writes it from then on.
      if (!isPlan && isTrueAt(spec, "adoptState") && !isTrueAt(old?.spec, "adoptState")) {
        for (const verb of ["read-content", "write-content"]) {
          checkAccess(authorizer, request, {
            verb,
            resource: "terraformstates",
            name: target.name,
          });
        }
      }
      const program = textAt(spec, "program") || undefined;
      checkPolicy(live, request, { executor: "terraform", program });
    },
  };
}

/** The author needs the permission for what the run reads on their behalf. */
function checkAccess(
  authorizer: Authorizer,
  { target, caller }: AdmissionRequest,
  wanted: { readonly verb: string; readonly resource: string; readonly name: string },
): void {
  const group = wanted.resource === "configmaps" ? "" : executorsGroup;
  const { namespace } = target;
  const access = { kind: "resource", group, subresource: "", namespace, ...wanted } as const;
  if (authorizer.authorize(caller.user, access).allowed) return;
  const { verb, resource, name } = wanted;
  const why = `you need the permission to ${verb} the ${resource} ${name}`;
  throw forbidden(target.served.storedKind, target.name, why);
}

/** A state that a user could write would let Terraform destroy what the user names. */
function checkState({ target, operation, caller }: AdmissionRequest): void {
  const { served } = target;
  if (served.id !== statesKind && served.id !== versionsKind) return;
  if (operation === "DELETE" || caller.user.name === systemCaller.user.name) return;
  if (caller.through === stateThrough) return;
  const why = "use the http backend of Terraform at /api/v1/terraform-state";
  throw forbidden(served.storedKind, target.name, why);
}

/** Without its state, Terraform would create everything again. */
async function checkStateRemoval(
  { target, operation, caller, old }: AdmissionRequest,
  store: Pick<Store, "get">,
): Promise<void> {
  const { served, namespace } = target;
  if (operation !== "DELETE" || caller.user.name === systemCaller.user.name) return;
  if (served.id !== statesKind && served.id !== versionsKind) return;
  for (const { kind, name, uid } of old?.metadata.ownerReferences ?? []) {
    const owner = kind === "TerraformStack" ? stacksKind : statesKind;
    const record = await store.get({ kind: owner, namespace, name });
    if (record?.uid !== uid) continue;
    const why = `it belongs to the ${kind} ${name}: delete that instead`;
    throw forbidden(served.storedKind, target.name, why);
  }
}

/** Writes of the routes of the http backend, on behalf of a caller. */
export const stateThrough = "terraform-state";

const variableName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

export function stackErrors(spec: JsonObject, at = "spec"): readonly FieldError[] {
  const errors: FieldError[] = [];
  const files = specFiles(spec);
  for (const path of files.keys()) {
    const problem = pathProblem(path);
    if (problem !== undefined) errors.push(invalidField(`${at}.source.files`, path, problem));
  }
  const hasConfigMap = textAt(spec, "source", "configMap", "name") !== "";
  const problem = hasConfigMap || errors.length > 0 ? undefined : filesProblem(files);
  if (problem !== undefined) errors.push(forbiddenField(`${at}.source.files`, problem));
  const [plain, secret] = [objectAt(spec, "variables"), objectAt(spec, "secretVariables")];
  for (const [field, names] of [
    ["variables", Object.keys(plain)],
    ["secretVariables", Object.keys(secret)],
  ] as const) {
    for (const name of names) {
      if (variableName.test(name)) continue;
      errors.push(invalidField(`${at}.${field}`, name, "must be the name of a variable"));
    }
  }
  for (const name of Object.keys(secret)) {
    if (!Object.hasOwn(plain, name)) continue;
    const detail = `${name} is also in variables: set it in one place`;
    errors.push(forbiddenField(`${at}.secretVariables`, detail));
  }
  return errors;
}
