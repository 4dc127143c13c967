// Writes into each ClusterRole with an aggregationRule the rules that it gathers, so that whoever
// reads the role sees what it grants. Decisions do not wait for this: they gather by themselves.
// Every process does it; all come to the same rules, and who is late finds nothing to change.

import { canonicalJson } from "../../kernel/canonical-json.ts";
import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Timers } from "../../kernel/timers.ts";
import { rbacGroup, rulesOf } from "../auth/policy.ts";
import type { PolicyRule } from "../auth/policy.ts";
import type { Rbac } from "../auth/rbac.ts";
import { clusterRoleOf } from "../auth/role-aggregation.ts";
import { systemOptions } from "../bootstrap.ts";
import { withField } from "../builtin/parts.ts";
import type { Intents } from "../request.ts";
import { keyedWorker } from "./keyed-worker.ts";
import { changeAsSystem } from "./system-change.ts";

export interface ClusterRolesInput {
  readonly intents: Intents;
  /** Must hear of a role before this does: it is asked for the rules. */
  readonly rbac: Pick<Rbac, "rulesOfRole">;
  readonly timers: Timers;
  readonly onError: (error: unknown, role: string) => void;
}

const clusterRolesKind = `clusterroles.${rbacGroup}`;
/** The name under which Kubernetes' own controller writes these. */
const options = { ...systemOptions, fieldManager: "clusterrole-aggregation-controller" };

export function followClusterRoles({
  intents,
  rbac,
  timers,
  onError,
}: ClusterRolesInput): AsyncDisposable {
  const worker = keyedWorker({
    timers,
    onError,
    work: async (name) => {
      // Changes that arrive together are gathered together.
      await Promise.resolve();
      await writeRules(intents, rbac, name);
      return undefined;
    },
  });
  const aggregated = new Set<string>();
  intents.live.follow(clusterRolesKind, (after, before) => {
    if (before !== undefined) aggregated.delete(before.key.name);
    if (after !== undefined && isAggregated(after.resource)) aggregated.add(after.key.name);
    // Any role may be selected, also one without labels.
    for (const one of aggregated) worker.add(one);
  });
  return worker;
}

async function writeRules(
  intents: Intents,
  rbac: ClusterRolesInput["rbac"],
  name: string,
): Promise<void> {
  const record = intents.live.get({ kind: clusterRolesKind, namespace: "", name });
  if (record === undefined) return;
  const withRules = (role: Resource): Resource => {
    const ref = { apiGroup: rbacGroup, kind: "ClusterRole", name };
    const rules = rbac.rulesOfRole(ref, "");
    if (rules === undefined || !isAggregated(role) || isSame(rules, rulesOf(role))) return role;
    return withField(role, "rules", rules.map(jsonOf));
  };
  const { metadata } = record.resource;
  if (metadata.deletionTimestamp !== undefined || withRules(record.resource) === record.resource) {
    return;
  }
  await changeAsSystem(intents, {
    group: rbacGroup,
    plural: "clusterroles",
    name,
    edit: withRules,
    options,
  });
}

function isAggregated(role: Resource): boolean {
  return clusterRoleOf(role).selectors !== undefined;
}

function isSame(one: readonly PolicyRule[], other: readonly PolicyRule[]): boolean {
  return canonicalJson(one.map(jsonOf)) === canonicalJson(other.map(jsonOf));
}

function jsonOf(rule: PolicyRule): Json {
  return { ...rule };
}
