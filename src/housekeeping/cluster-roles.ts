// Writes into each ClusterRole with an aggregationRule the rules that it gathers, so that readers
// of the role see what it grants. Decisions do not wait for this: they gather by themselves. A task
// of the leader, because any role may be selected by any other.

import type { LeaderTask } from "../engine/wakes/leader-tasks.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import type { Json } from "../kernel/json.ts";
import type { Resource } from "../kernel/resource.ts";
import type { Timers } from "../kernel/timers.ts";
import { untilAborted } from "../kernel/until-aborted.ts";
import type { ClaimRef } from "../store/port.ts";
import { rbacGroup, rulesOf } from "../intents/auth/policy.ts";
import type { PolicyRule } from "../intents/auth/policy.ts";
import type { Rbac } from "../intents/auth/rbac.ts";
import { clusterRoleOf } from "../intents/auth/role-aggregation.ts";
import { systemOptions } from "../intents/bootstrap.ts";
import { withField } from "../intents/builtin/parts.ts";
import type { Intents } from "../intents/request.ts";
import { keyedWorker } from "../intents/housekeeping/keyed-worker.ts";
import { changeAsSystem } from "../intents/housekeeping/system-change.ts";

export interface ClusterRolesInput {
  readonly intents: Intents;
  /** Must follow roles before the task does, because it answers for the rules. */
  readonly rbac: Pick<Rbac, "rulesOfRole">;
  readonly timers: Timers;
  readonly onError: (error: unknown, role: string) => void;
}

const clusterRolesKind = `clusterroles.${rbacGroup}`;
/** The name under which Kubernetes' own controller writes these. */
const options = { ...systemOptions, fieldManager: "clusterrole-aggregation-controller" };

export function clusterRoleRules(input: ClusterRolesInput): LeaderTask {
  const { intents, rbac, timers, onError } = input;
  return {
    name: "cluster role aggregation",
    lead: async (claim, signal) => {
      await using worker = keyedWorker({
        timers,
        onError,
        work: async (name) => {
          // Changes that arrive together are gathered together.
          await Promise.resolve();
          await writeRules(intents, rbac, name, claim);
          return undefined;
        },
      });
      const aggregated = new Set<string>();
      const unfollow = intents.live.follow(clusterRolesKind, (after, before) => {
        if (before !== undefined) aggregated.delete(before.key.name);
        if (after !== undefined && isAggregated(after.resource)) aggregated.add(after.key.name);
        // Any role may be selected, also one without labels.
        for (const one of aggregated) worker.add(one);
      });
      await untilAborted(signal);
      unfollow();
    },
  };
}

async function writeRules(
  intents: Intents,
  rbac: ClusterRolesInput["rbac"],
  name: string,
  claim: ClaimRef,
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
    options: { ...options, claim },
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
