// The code of a server that has this module.

import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts } from "../../contract/ports.ts";
import { isSpecialAddress } from "../../kernel/special-address.ts";
import { environmentGuard } from "./admission/environment-guard.ts";
import { groupGuard } from "./admission/group-guard.ts";
import { operationGuard } from "./admission/operation-guard.ts";
import { planGuard } from "./admission/plan-guard.ts";
import { recordGuard } from "./admission/record-guard.ts";
import { rolloutGuard } from "./admission/rollout-guard.ts";
import { templateGuard } from "./admission/template-guard.ts";
import { environmentRoutes } from "./api/routes.ts";
import { environmentsConfiguration } from "./configuration.ts";
import { overduePace } from "./destruction/overdue-pace.ts";
import { environmentReconciler } from "./environment/environment-reconciler.ts";
import { summaryPace } from "./environment/summary-pace.ts";
import { planReconciler } from "./plans/plan-reconciler.ts";
import { destroyedReconciler } from "./records/destroyed-reconciler.ts";
import { externalReconciler } from "./records/external-reconciler.ts";
import { groupReconciler } from "./records/group-reconciler.ts";
import { resourceReconciler } from "./resource/resource-reconciler.ts";
import { rolloutReconciler } from "./rollouts/rollout-reconciler.ts";
import { openSearchIndex } from "./search/follow-index.ts";
import { searchRoutes } from "./search/routes.ts";
import { templateCache } from "./templates/template-cache.ts";

export function openEnvironments(ports: OpenPorts): OpenModule {
  const { live, store, kinds, authorizer, rights, clock, openHttp, meter } = ports;
  const configuration = environmentsConfiguration(ports.configuration);
  const templates = templateCache(live, store);
  const http = openHttp({
    refuseAddress: (address) => {
      if (configuration.allowPrivateAddresses || !isSpecialAddress(address)) return undefined;
      return "the address is private: see allowPrivateAddresses of the configuration";
    },
  });
  const onError = (error: unknown): void => ports.log.error({ error }, "search index failed");
  const search = openSearchIndex({ ...ports, onError });
  const access = { authorizer, rights };
  const plans = planGuard({ ...access, store, templates });
  return {
    admission: [
      templateGuard({ kinds, store }),
      environmentGuard({ ...access, templates, configuration, clock, checkApproval: plans.check }),
      plans.plugin,
      operationGuard({ ...access, store, templates }),
      rolloutGuard({ ...access, store, templates }),
      groupGuard(store),
      recordGuard({ store, authorizer, kinds }),
    ],
    routes: (given) => [...environmentRoutes(given), ...searchRoutes(given, search)],
    start: async ({ engine, intents, feed }) => {
      search.start(feed);
      const pace = overduePace(configuration.overduePerMinute);
      const summaries = summaryPace();
      const shared = { intents, authorizer, store, templates };
      const stops = [
        engine.add(resourceReconciler({ ...shared, http })),
        engine.add(
          environmentReconciler({ ...shared, configuration, http, pace, summaries, meter }),
        ),
        engine.add(planReconciler(shared)),
        engine.add(externalReconciler({ intents, http })),
        engine.add(groupReconciler(store)),
        engine.add(destroyedReconciler(intents)),
        engine.add(rolloutReconciler({ intents, store })),
      ];
      return {
        [Symbol.asyncDispose]: async () => {
          for (const stop of stops) stop();
        },
      };
    },
    close: async () => {
      http[Symbol.dispose]();
      await search[Symbol.asyncDispose]();
    },
  };
}
