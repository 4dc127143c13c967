// ValidatingAdmissionPolicies: for each binding of each policy that a request concerns, with each
// set of parameters, the policy is evaluated, and what it says is denied, warned about or recorded
// as the binding asks. The first denial is the one that users hear of.

import { appendAll } from "../../../kernel/append.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { timedPauses } from "../../../kernel/pauses.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { inTurns } from "../../../kernel/sliced.ts";
import type { Authorizer } from "../../auth/policy.ts";
import type { Found } from "../../kinds/registry.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../admission.ts";
import {
  isExempt,
  isNamespaceKind,
  namespaceOf,
  namespacesKind,
  refusedBy,
} from "../attributes.ts";
import { bindingsFor, namespaceValue, valueOf } from "../expression/bindings.ts";
import type { Bindings } from "../expression/bindings.ts";
import { tenantOfWrite } from "../../write/write-pauses.ts";
import { documentsIn } from "../shown-version.ts";
import { objectToValidate } from "../webhook/shown-object.ts";
import type { Binding } from "./binding.ts";
import { evaluatePolicy } from "./evaluation.ts";
import type { Denial, PolicyResult } from "./evaluation.ts";
import { matchResources } from "./match-resources.ts";
import type { MatchWorld } from "./match-resources.ts";
import { collectParams, paramKindFound, ParamProblem } from "./params.ts";
import type { ParamWorld } from "./params.ts";
import type { BoundPolicy, PolicyIndex } from "./policy-index.ts";
import type { Policy } from "./policy.ts";

export interface PolicyPorts extends MatchWorld, ParamWorld {
  readonly authorizer: Authorizer;
}

export function validatingPolicies(index: PolicyIndex, ports: PolicyPorts): AdmissionPlugin {
  return {
    name: "ValidatingAdmissionPolicy",
    validate: (request) => {
      const bound = index.bound();
      if (bound.length === 0 || isExempt(request.target)) return undefined;
      const concerned = bound.flatMap((one) => concernedBy(one, request, ports));
      return concerned.length === 0 ? undefined : validate(concerned, request, ports);
    },
  };
}

interface Concerned extends BoundPolicy {
  readonly found: Found;
}

function concernedBy(
  bound: BoundPolicy,
  request: AdmissionRequest,
  ports: PolicyPorts,
): readonly Concerned[] {
  const found = matchResources(bound.policy.match, request, ports);
  return found === undefined ? [] : [{ ...bound, found }];
}

interface Refusal {
  readonly policy: string;
  /** Absent when the policy itself cannot be used. */
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

async function validate(
  concerned: readonly Concerned[],
  given: AdmissionRequest,
  ports: PolicyPorts,
): Promise<void> {
  const request = objectToValidate(given);
  const refusals: Refusal[] = [];
  for (const one of concerned) appendAll(refusals, await validateOne(one, request, ports));
  const [first] = refusals;
  if (first !== undefined) throw refusal(request, first);
}

async function validateOne(
  { policy, bindings, found }: Concerned,
  request: AdmissionRequest,
  ports: PolicyPorts,
): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = [];
  const annotations = new Map<string, Set<string>>();
  let values: Bindings | undefined;
  const pause = timedPauses(tenantOfWrite(request));
  for (const binding of bindings) {
    if (!isBound(binding, request, ports)) continue;
    const params = await paramsOf(policy, binding, request, ports);
    if (typeof params === "string") {
      const name = params.startsWith("failed to configure policy") ? undefined : binding.name;
      const message = params;
      if (!policy.isIgnoredOnFailure) {
        refusals.push({ policy: policy.name, binding: name, message, reason: "" });
      }
      continue;
    }
    for (const param of params) {
      values ??= await bindingsOf(request, found, ports);
      const evaluation = evaluatePolicy(policy, { ...values, params: valueOf(param) });
      const result = await inTurns(evaluation, pause);
      appendAll(refusals, acted(policy, binding, result, request));
      for (const [key, value] of result.annotations) {
        annotations.set(key, (annotations.get(key) ?? new Set()).add(value));
      }
    }
  }
  for (const [key, texts] of annotations) {
    request.caller.annotate?.(`${policy.name}/${key}`, [...texts].join(", "));
  }
  return refusals;
}

function isBound({ match }: Binding, request: AdmissionRequest, ports: PolicyPorts): boolean {
  return match === undefined || matchResources(match, request, ports) !== undefined;
}

/** The parameters, or why there are none. */
async function paramsOf(
  { paramKind }: Policy,
  { paramRef }: Binding,
  request: AdmissionRequest,
  ports: PolicyPorts,
): Promise<readonly (Resource | undefined)[] | string> {
  let found: Found | undefined;
  try {
    if (paramKind !== undefined) found = paramKindFound(paramKind, ports.kinds);
  } catch (error) {
    if (error instanceof ParamProblem) return `failed to configure policy: ${error.message}`;
    throw error;
  }
  try {
    return await collectParams(found, paramRef, namespaceOf(request), ports);
  } catch (error) {
    if (error instanceof ParamProblem) return `failed to configure binding: ${error.message}`;
    throw error;
  }
}

async function bindingsOf(
  request: AdmissionRequest,
  found: Found,
  { authorizer, live }: PolicyPorts,
): Promise<Bindings> {
  const shown = await documentsIn(request, found);
  const bindings = bindingsFor({ request, found, shown, authorizer });
  const name = isNamespaceKind(request.target) ? "" : namespaceOf(request);
  const namespace =
    name === "" ? undefined : live.get({ kind: namespacesKind, namespace: "", name });
  if (namespace === undefined) return bindings;
  return { ...bindings, namespaceObject: namespaceValue(namespace.resource) };
}

/** Does what the binding asks for; what is to be denied is returned. */
function acted(
  { name }: Policy,
  binding: Binding,
  { denials, annotationErrors }: PolicyResult,
  { caller }: AdmissionRequest,
): readonly Refusal[] {
  const refusals: Refusal[] = [];
  for (const denial of denials) {
    const { message, reason } = denial;
    for (const action of binding.actions) {
      if (action === "Deny") {
        refusals.push({ policy: name, binding: binding.name, message, reason });
      }
      if (action === "Audit") {
        const value = JSON.stringify([failureOf(binding, denial)]);
        caller.annotate?.("validation.policy.admission.k8s.io/validation_failure", value);
      }
      if (action === "Warn") {
        const who = `ValidatingAdmissionPolicy '${name}' with binding '${binding.name}'`;
        caller.warn(`Validation failed for ${who}: ${message}`);
      }
    }
  }
  for (const message of annotationErrors) {
    refusals.push({ policy: name, binding: binding.name, message, reason: "" });
  }
  return refusals;
}

function failureOf(binding: Binding, { message, index }: Denial): object {
  return {
    message,
    policy: binding.policy,
    binding: binding.name,
    expressionIndex: index,
    validationActions: binding.actions,
  };
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

function refusal(request: AdmissionRequest, denied: Refusal): SetpointError {
  const { policy, binding, message } = denied;
  const by = binding === undefined ? "" : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const reason = denied.reason === "" ? "Invalid" : denied.reason;
  const error = refusedBy(request, text);
  return new SetpointError("request.forbidden", error.message, {
    details: {
      ...error.details,
      causes: [{ message: text }],
      statusReason: reason,
      statusCode: codes[reason] ?? 422,
    },
  });
}
