// The errors of the module.

import { defineErrors } from "../../kernel/errors.ts";
import type { CatalogueEntry } from "../../kernel/error-catalogue.ts";

export const gitopsErrors = defineErrors({
  "gitops.policy_denied": {
    status: 403,
    retry: "never",
    summary: "No GitOpsPolicy allows this in the namespace.",
    action: "Ask an administrator for a GitOpsPolicy that allows it, or change the field.",
  },
  "gitops.not_syncable": {
    status: 409,
    retry: "never",
    summary: "The deployment cannot be synced, compared or rolled back now.",
    action: "Read the message, then the conditions of the GitOpsDeployment.",
  },
  "gitops.source_failed": {
    status: 502,
    retry: "backoff",
    summary: "The repository could not be read.",
    action: "Read the message, then the conditions of the GitOpsDeployment and its credential.",
  },
  "gitops.webhook_refused": {
    status: 401,
    retry: "never",
    summary: "The webhook has no valid signature of a secret of this URL.",
    action: "Use the same secret at the git host and in the Secret of the deployment.",
  },
  "gitops.webhook_limited": {
    status: 429,
    retry: "backoff",
    summary: "The namespace receives too many webhooks.",
    action: "Wait for the time in Retry-After. Repositories are also polled.",
  },
});

type Codes = { readonly [Code in keyof typeof gitopsErrors]: CatalogueEntry };

declare module "../../kernel/error-catalogue.ts" {
  // oxlint-disable-next-line typescript/no-empty-object-type -- the codes above
  interface ErrorCodes extends Codes {}
}
