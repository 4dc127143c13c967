/** The module in a process: admission, and the reconcilers of issuers and clients. */
import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts } from "../../contract/ports.ts";
import { clientReconciler } from "./client-reconciler.ts";
import { issuerReconciler } from "./issuer-reconciler.ts";
import { oidcGuard } from "./oidc-guard.ts";
import { openProviderWith } from "./provider/provider.ts";

export function openOidcClients(ports: OpenPorts): OpenModule {
  const { live, authorizer, callJson, store, meter } = ports;
  const openProvider = openProviderWith(callJson);
  return {
    admission: [oidcGuard({ live, authorizer })],
    start: async ({ engine }) => {
      const stops = [
        engine.add(issuerReconciler({ openProvider, store })),
        engine.add(clientReconciler({ openProvider, meter })),
      ];
      return {
        [Symbol.asyncDispose]: async () => {
          for (const stop of stops) stop();
        },
      };
    },
  };
}
