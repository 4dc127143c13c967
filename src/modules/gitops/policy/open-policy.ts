/** GitOpsPolicies in a process. */
import type { GitOpsPart, PartInput } from "../part.ts";
import type { PolicyReader } from "./effective-policy.ts";

export interface PolicyPart extends GitOpsPart {
  readonly policies: PolicyReader;
}

export function openPolicy(_input: PartInput): PolicyPart {
  const refusal = (): string => "GitOpsPolicies are not read yet";
  const policies: PolicyReader = {
    policyOf: () => ({
      repositoryRefusal: refusal,
      addressRefusal: refusal,
      serverRefusal: refusal,
      objectRefusal: refusal,
      kindRefusal: refusal,
      requiresSignature: false,
      remoteBases: false,
      helm: false,
      windows: [],
      maxDeployments: 0,
    }),
  };
  return { policies };
}
