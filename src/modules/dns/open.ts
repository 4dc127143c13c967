/** The module in a process: admission, and the reconcilers of zones and records. */
import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts } from "../../contract/ports.ts";
import { dnsGuard } from "./dns-guard.ts";
import { recordReconciler } from "./record-reconciler.ts";
import { powerDns } from "./server/powerdns.ts";
import { zoneReconciler } from "./zone-reconciler.ts";

export function openDns(ports: OpenPorts): OpenModule {
  const { live, authorizer, callJson, store, meter } = ports;
  const openZone = powerDns(callJson);
  return {
    admission: [dnsGuard({ live, authorizer })],
    start: async ({ engine }) => {
      const stops = [
        engine.add(zoneReconciler({ openZone, store })),
        engine.add(recordReconciler({ openZone, meter })),
      ];
      return {
        [Symbol.asyncDispose]: async () => {
          for (const stop of stops) stop();
        },
      };
    },
  };
}
