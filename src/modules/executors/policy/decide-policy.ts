// Whether a namespace may run a program, and how. Pure: the caller reads the policies.

import { isNamespaceAllowed } from "../../../kernel/allowed-namespaces.ts";
import { numberAt, objectAt, presentObjectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface WantedProgram {
  readonly executor: "terraform" | "command";
  /** An absolute path or a name; undefined: the first that a policy allows. */
  readonly program: string | undefined;
}

export interface AllowedProgram {
  readonly kind: "allowed";
  readonly policy: string;
  readonly program: string;
  readonly maxTimeoutMs: number;
  /** As the policy states it; undefined: the default of the server. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly providerMirror: string | undefined;
}

export type PolicyDecision = AllowedProgram | { readonly kind: "denied"; readonly message: string };

const words = { terraform: "Terraform", command: "programs" } as const;

/** The policies in the order of their names; the first that allows namespace and program counts. */
export function decidePolicy(
  policies: readonly Resource[],
  namespace: Resource,
  wanted: WantedProgram,
): PolicyDecision {
  const { executor } = wanted;
  const { name } = namespace.metadata;
  const inNamespace = policies
    .filter((policy) =>
      isNamespaceAllowed(objectAt(policy, "spec", "allow", "namespaces"), namespace),
    )
    .filter((policy) => presentObjectAt(policy, "spec", executor) !== undefined)
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  for (const policy of inNamespace) {
    const programs = textsAt(policy, "spec", executor, "programs");
    const program = wanted.program ?? programs[0];
    const isListed = program !== undefined && programs.includes(program);
    if (isListed) return allowed(policy, wanted, program);
  }
  const what =
    inNamespace.length === 0 || wanted.program === undefined ? words[executor] : wanted.program;
  const message =
    `no ExecutorPolicy allows ${what} in the namespace ${name}: ask an administrator for a ` +
    `policy with spec.allow.namespaces and spec.${executor}.programs`;
  return { kind: "denied", message };
}

function allowed(policy: Resource, { executor }: WantedProgram, program: string): AllowedProgram {
  const settings = objectAt(policy, "spec", executor);
  const { uid, gid } = objectAt(policy, "spec", "runAs") as Partial<Record<string, number>>;
  const mirror = textAt(settings, "providerMirror");
  return {
    kind: "allowed",
    policy: policy.metadata.name,
    program,
    maxTimeoutMs: (numberAt(policy, "spec", "maxTimeoutSeconds") ?? 3_600) * 1_000,
    user: uid === undefined || gid === undefined ? undefined : { uid, gid },
    env: textsIn(objectAt(settings, "env")),
    providerMirror: mirror === "" ? undefined : mirror,
  };
}

function textsIn(map: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(map).map((name) => [name, textAt(map, name)]));
}
