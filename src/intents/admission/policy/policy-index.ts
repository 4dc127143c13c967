// The policies that are bound, each with its bindings, in the order of their names. A policy
// without a binding does nothing, so it is not here.

import type { Resource } from "../../../kernel/resource.ts";
import type { LiveView } from "../../live-view.ts";
import { bindingOf } from "./binding.ts";
import type { Binding } from "./binding.ts";
import { policyOf } from "./policy.ts";
import type { Policy } from "./policy.ts";

export const policiesKind = "validatingadmissionpolicies.admissionregistration.k8s.io";
export const bindingsKind = "validatingadmissionpolicybindings.admissionregistration.k8s.io";

export interface BoundPolicy {
  readonly policy: Policy;
  readonly bindings: readonly Binding[];
}

export interface PolicyIndex {
  bound(): readonly BoundPolicy[];
}

export function policyIndex(
  live: LiveView,
  onError: (error: unknown, name: string) => void,
): PolicyIndex {
  const policies = new Map<string, Policy>();
  const bindings = new Map<string, Binding>();
  let bound: readonly BoundPolicy[] = [];
  const collect = (): void => {
    const byPolicy = Map.groupBy(sorted(bindings), ({ policy }) => policy);
    bound = sorted(policies).flatMap((policy) => {
      const own = byPolicy.get(policy.name);
      return own === undefined ? [] : [{ policy, bindings: own }];
    });
  };
  const follow = <T>(kind: string, into: Map<string, T>, read: (resource: Resource) => T): void => {
    live.follow(kind, (after, before) => {
      const name = (after ?? before)?.key.name ?? "";
      into.delete(name);
      try {
        if (after !== undefined) into.set(name, read(after.resource));
      } catch (error) {
        onError(error, name);
      }
      collect();
    });
  };
  follow(policiesKind, policies, policyOf);
  follow(bindingsKind, bindings, bindingOf);
  return { bound: () => bound };
}

function sorted<T>(byName: ReadonlyMap<string, T>): readonly T[] {
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
