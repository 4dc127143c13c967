// The errors of the module.

import { defineErrors } from "../../kernel/errors.ts";
import type { CatalogueEntry } from "../../kernel/error-catalogue.ts";

export const executorErrors = defineErrors({
  "executors.policy_denied": {
    status: 403,
    retry: "never",
    summary: "No ExecutorPolicy allows the program in this namespace.",
    action: "Ask an administrator for an ExecutorPolicy that names the namespace and the program.",
  },
  "executors.state_conflict": {
    status: 409,
    retry: "never",
    summary: "The state of Terraform was not stored: its lock, serial or lineage does not match.",
    action: "Read the message. `terraform state push` stores errored.tfstate after a new lock.",
  },
  "executors.state_managed": {
    status: 403,
    retry: "never",
    summary: "The state belongs to a TerraformStack, which alone writes it.",
    action: "Change the TerraformStack instead.",
  },
});

type Codes = { readonly [Code in keyof typeof executorErrors]: CatalogueEntry };

declare module "../../kernel/error-catalogue.ts" {
  // oxlint-disable-next-line typescript/no-empty-object-type -- the codes above
  interface ErrorCodes extends Codes {}
}
