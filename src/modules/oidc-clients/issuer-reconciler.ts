/** Finds the registration endpoint, and holds the OidcIssuer while clients need it. */
import { releaseWhenUnused } from "../../engine/external/shared-resource.ts";
import { done } from "../../engine/outcome.ts";
import type { Reconciler } from "../../engine/reconciler.ts";
import { numberAt } from "../../kernel/json-read.ts";
import type { Store } from "../../store/port.ts";
import { issuerAccess } from "./issuer-access.ts";
import { clientsKind, issuerField } from "./kinds/client-kind.ts";
import { issuersKind } from "./kinds/issuer-kind.ts";
import { oidcLimits } from "./limits.ts";
import type { OpenProvider } from "./provider/provider.ts";

export interface IssuerReconcilerInput {
  readonly openProvider: OpenProvider;
  readonly store: Pick<Store, "list">;
}

const clients = { kind: clientsKind, words: "OidcClients", field: issuerField } as const;

export function issuerReconciler({ openProvider, store }: IssuerReconcilerInput): Reconciler {
  return {
    kind: issuersKind,
    reconcile: async (issuer, context) => {
      const registrationEndpoint = await openProvider(issuerAccess(issuer), context).discover();
      const seconds = numberAt(issuer, "spec", "resyncSeconds") ?? oidcLimits.resyncSeconds;
      return done({ status: { registrationEndpoint }, resyncMs: seconds * 1_000 });
    },
    remove: (issuer) => releaseWhenUnused(store, issuer, clients),
  };
}
