/**
 * Executors: kinds that run Terraform, programs and calls of other systems, for environments and on
 * their own. See docs/reference/executors.md.
 */
import type { BuiltInModule, DeclaredKind } from "../../contract/module.ts";
import { commandKinds } from "./command/command-kind.ts";
import { consulKinds, consulServersKind, consulServicesKind } from "./consul/consul-kinds.ts";
import { registrationFields } from "./consul/registration-config.ts";
import { executorErrors } from "./errors.ts";
import { executorsGroup } from "./group.ts";
import { httpKinds } from "./http/http-kind.ts";
import { kubernetesKinds, kubernetesTargetsKind } from "./kubernetes/manifest-kinds.ts";
import { executorLimits } from "./limits.ts";
import { executorMetrics } from "./metrics.ts";
import { policiesKind, policyKinds } from "./policy/policy-kind.ts";
import { runKinds } from "./runs/run-kinds.ts";
import { planKinds } from "./terraform/plan-kind.ts";
import { stackKinds } from "./terraform/stack-kind.ts";
import { stateKinds } from "./terraform/state-kinds.ts";
import { vaultKinds, vaultServersKind } from "./vault/vault-kinds.ts";

/** One line for each executor. */
const kinds: readonly (readonly DeclaredKind[])[] = [
  policyKinds,
  runKinds,
  stackKinds,
  planKinds,
  stateKinds,
  commandKinds,
  consulKinds,
  vaultKinds,
  httpKinds,
  kubernetesKinds,
];

/** Kinds of the namespace that `edit` may write. One line for each executor. */
const written: readonly (readonly string[])[] = [
  ["terraformstacks", "terraformplans"],
  ["commandruns"],
  ["consulkeys", "consulservices"],
  ["vaultsecrets", "vaultreads"],
  ["httpcalls"],
  ["manifestsets"],
];

/** Kinds of the namespace that only the module writes. */
const records = ["executorruns", "executorlogs", "terraformstates", "stateversions"];

export const executors: BuiltInModule = {
  name: "executors",
  version: 2,
  kinds: kinds.flat(),
  cachedKinds: [
    policiesKind,
    consulServersKind,
    consulServicesKind,
    vaultServersKind,
    kubernetesTargetsKind,
  ],
  errors: executorErrors,
  metrics: executorMetrics,
  limits: executorLimits,
  configuration: {
    key: "executors",
    fields: {
      ...registrationFields,
      runFolder: {
        type: "path",
        summary: "Folder for the files of running programs; not in the data folder.",
      },
    },
  },
  roles: [
    { role: "view", rules: [rule([...written.flat(), ...records], "get", "list", "watch")] },
    { role: "admin", rules: [rule(["terraformstates"], "force-unlock")] },
    {
      role: "edit",
      rules: [
        rule(["terraformstates"], "read-content", "write-content", "delete"),
        rule(written.flat(), "create", "update", "patch", "delete", "deletecollection"),
      ],
    },
  ],
  open: async (ports) => (await import("./open.ts")).openExecutors(ports),
};

function rule(
  resources: readonly string[],
  ...verbs: readonly string[]
): {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
} {
  return { apiGroups: [executorsGroup], resources, verbs };
}
