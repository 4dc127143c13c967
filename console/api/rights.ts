// What the user may do, from SelfSubjectRulesReview: one request for each namespace, kept until the
// page is loaded again. While the answer is awaited, everything counts as allowed: a slow check
// must not look like a refusal, and the server decides in any case.

import { signal } from "@preact/signals";
import { request } from "./client.ts";
import type { KindInfo } from "./kinds.ts";

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface Right {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: "databases/status". */
  readonly resource: string;
  readonly name?: string;
}

const known = signal<ReadonlyMap<string, readonly ResourceRule[]>>(new Map());
const asked = new Set<string>();

/** Undefined while the answer is awaited. */
export function may(namespace: string, right: Right): boolean | undefined {
  const place = namespace || "default";
  const rules = known.value.get(place);
  if (rules === undefined) void ask(place);
  return rules?.some((rule) => allows(rule, right));
}

export function mayOn(
  kind: Pick<KindInfo, "group" | "plural">,
  { namespace, name, verb }: { namespace: string; name?: string | undefined; verb: string },
): boolean | undefined {
  const right = { verb, group: kind.group, resource: kind.plural };
  return may(namespace, name === undefined ? right : { ...right, name });
}

/** Asks again, as after a change of roles. */
export function forgetRights(): void {
  asked.clear();
  known.value = new Map();
}

export function allows(rule: ResourceRule, { verb, group, resource, name }: Right): boolean {
  const [plural, sub] = resource.split("/");
  const resources = rule.resources ?? [];
  const isNamed = (rule.resourceNames ?? []).length > 0;
  return (
    includes(rule.verbs, verb) &&
    includes(rule.apiGroups ?? [], group) &&
    (includes(resources, resource) ||
      (sub !== undefined &&
        (resources.includes(`*/${sub}`) || resources.includes(`${plural}/*`)))) &&
    (!isNamed || (name !== undefined && rule.resourceNames?.includes(name) === true))
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

async function ask(namespace: string): Promise<void> {
  if (asked.has(namespace)) return;
  asked.add(namespace);
  try {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    const review = await request<{ status?: { resourceRules?: readonly ResourceRule[] } }>(path, {
      method: "POST",
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectRulesReview",
        spec: { namespace },
      },
    });
    const rules = review.status?.resourceRules ?? [];
    known.value = new Map(known.peek()).set(namespace, rules);
  } catch {
    // Unknown rights hide nothing; the next use asks again.
    asked.delete(namespace);
  }
}
