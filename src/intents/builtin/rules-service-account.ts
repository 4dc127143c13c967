// Service accounts: references to secrets are by name alone.

import { textAt } from "../../kernel/json-read.ts";
import { withEach } from "./parts.ts";
import type { KindRules } from "./rules.ts";

const mountable = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccountRules: KindRules = {
  prepareForCreate: (account) => withEach(account, "secrets", nameOnly),
  prepareForUpdate: (account) => withEach(account, "secrets", nameOnly),

  warnings(account, old) {
    const hasIt = account.metadata.annotations?.[mountable] !== undefined;
    const hadIt = old?.metadata.annotations?.[mountable] !== undefined;
    if (!hasIt || hadIt) return [];
    const what =
      "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
    return [`metadata.annotations[${mountable}]: ${what}`];
  },
};

function nameOnly(reference: Parameters<typeof textAt>[0] & object): { readonly name: string } {
  return { name: textAt(reference, "name") };
}
