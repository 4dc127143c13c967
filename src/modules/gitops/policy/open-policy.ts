/** GitOpsPolicies in a process. */
import { policiesKind } from "../names.ts";
import type { GitOpsPart, PartInput } from "../part.ts";
import { decidePolicy, nothingAllowed } from "./decide-policy.ts";
import type { PolicyReader } from "./effective-policy.ts";
import { policyGuard } from "./policy-guard.ts";
import { secretGuard } from "./secret-guard.ts";
import { windowGuard } from "./window-guard.ts";

export interface PolicyPart extends GitOpsPart {
  readonly policies: PolicyReader;
}

export function openPolicy({ ports: { live, authorizer } }: PartInput): PolicyPart {
  const policies: PolicyReader = {
    policyOf: (namespace) => {
      const found = live.get({ kind: "namespaces", namespace: "", name: namespace })?.resource;
      if (found === undefined) return nothingAllowed(namespace);
      return decidePolicy(
        Array.from(live.all(policiesKind), ({ resource }) => resource),
        found,
      );
    },
  };
  return { policies, admission: [policyGuard, windowGuard, secretGuard(authorizer)] };
}
