// The rules for names in paths: subscriptions, resource groups and resources.

import { sentence } from "../../../kernel/field-error-words.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmProblem } from "./arm-error.ts";
import { isSegment } from "./arm-path.ts";

const maxName = 260;
const maxGroup = 90;

/** What is wrong with the names in a path; a resource is stored under none of these. */
export function nameProblems({ subscription, group, names }: ArmPlace): readonly ArmProblem[] {
  const problems: ArmProblem[] = [];
  if (!isSubscriptionId(subscription)) {
    const text = `The provided subscription identifier '${subscription}' is malformed or invalid`;
    problems.push({ code: "InvalidSubscriptionId", message: sentence(text) });
  }
  if (group !== undefined && !/^[\p{L}\p{N}_\-.()]*[\p{L}\p{N}_\-()]$/u.test(group)) {
    problems.push(badGroup(group));
  } else if (group !== undefined && group.length > maxGroup) problems.push(badGroup(group));
  for (const name of names) {
    if (isResourceName(name)) continue;
    const text = `The resource name '${name}' is invalid: from 1 to ${maxName} characters, `;
    const rest = String.raw`none of <>%&:\?/, no control characters, no space or period at its end`;
    problems.push({ code: "InvalidResourceName", message: sentence(text + rest), target: "name" });
  }
  return problems;
}

/** For a path, a deployment and a question about names alike. */
function isResourceName(name: string): boolean {
  if (!isSegment(name) || name.length > maxName) return false;
  return !/[<>%&:\\?]/.test(name) && !/[\s.]$/.test(name);
}

export function isSubscriptionId(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
}

function badGroup(group: string): ArmProblem {
  const text = `The resource group name '${group}' is invalid: it may have up to ${maxGroup}`;
  const rest = " letters, digits and _-.() and may not end with a period";
  return { code: "InvalidResourceGroupName", message: sentence(text + rest) };
}
