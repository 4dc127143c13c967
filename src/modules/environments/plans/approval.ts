// Whether a deployment may begin: at once, or when a Plan of exactly this deployment is approved.

import { decodeDocument } from "../../../kernel/document.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import { membersOf } from "../environment/run.ts";
import type { EnvironmentRun } from "../environment/run.ts";
import { plansKind } from "../names.ts";
import { templatesOf } from "../operations/action.ts";
import { generationOf } from "../operations/choose.ts";
import type { OperationRecord } from "../operations/records.ts";
import type { NamedTemplate } from "../templates/expand.ts";

export type Approval =
  | { readonly kind: "approved"; readonly plan: string }
  | { readonly kind: "awaited"; readonly reason: string; readonly message: string };

export async function approvalOf(
  run: EnvironmentRun,
  operation: OperationRecord,
): Promise<Approval> {
  const { resource, ports } = run;
  if (!(await isRequired(run))) return { kind: "approved", plan: "" };
  const plan = textAt(resource.spec, "approvedPlan");
  if (plan === "") return awaited("AwaitingApproval", "a Plan of this change must be approved");
  const namespace = resource.metadata.namespace ?? "";
  const record = await ports.store.get({ kind: plansKind, namespace, name: plan });
  if (record === undefined) return awaited("AwaitingApproval", `there is no Plan ${plan}`);
  const { status } = decodeDocument(record.body, record.revision);
  const isSame = textAt(status, "digest") === textAt(operation.spec, "deployment", "digest");
  // The write that names the Plan is the next generation, and may contain its deployment.
  const approved = (numberAt(status, "base", "environment") ?? 0) + 1;
  if (isSame && generationOf(operation) <= approved) return { kind: "approved", plan };
  return awaited("PlanStale", `the Plan ${plan} was approved for another change: plan again`);
}

export async function isRequired(run: EnvironmentRun): Promise<boolean> {
  if (textAt(run.resource.spec, "approval") === "Required") return true;
  const templates = [...(await templatesOf(run)), ...(await templatesInUse(run))];
  return templates.some(({ compiled }) => {
    return textAt(compiled.spec, "permissions", "approval") === "Required";
  });
}

/** Those of resources that exist: a change that leaves them needs their approval too. */
async function templatesInUse(run: EnvironmentRun): Promise<readonly NamedTemplate[]> {
  const namespace = run.resource.metadata.namespace ?? "";
  const members = await membersOf(run);
  const names = new Set(members.map(({ resource }) => textAt(resource.spec, "template")));
  const found: NamedTemplate[] = [];
  for (const name of names) {
    const template = await run.ports.templates.get(namespace, name);
    if (template !== undefined) found.push(template);
  }
  return found;
}

function awaited(reason: string, message: string): Approval {
  return { kind: "awaited", reason, message };
}
