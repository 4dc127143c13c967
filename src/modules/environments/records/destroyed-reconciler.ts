// Deletes the records of deleted Environments after the retention time.

import { again, done } from "../../../engine/outcome.ts";
import type { Reconciler } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor } from "../../../intents/bootstrap.ts";
import type { Intents } from "../../../intents/request.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { destroyedKind } from "../names.ts";

const dayMs = 86_400_000;

export function destroyedReconciler(intents: Intents): Reconciler {
  return {
    kind: destroyedKind,
    ownsStatus: true,
    reconcile: async (resource, context) => {
      const expiresMs = Date.parse(textAt(resource.spec, "expiresAt"));
      const leftMs = expiresMs - context.clock.nowMs();
      const isDeleting = resource.metadata.deletionTimestamp !== undefined;
      if (Number.isNaN(expiresMs) || isDeleting) return done();
      if (leftMs > 0) return again(Math.min(leftMs, dayMs));
      const served = intents.kinds.byId(destroyedKind);
      if (served === undefined) return done();
      const { namespace = "", name } = resource.metadata;
      await fencedWrite(context, async ({ claim, cause }) => {
        await deleteResource(intents, {
          caller: systemCallerFor(cause),
          target: { served, version: served.storage, namespace, name, subresource: "" },
          options: { isDryRun: false, propagation: undefined, preconditions: {}, raw: {}, claim },
        });
      });
      return done();
    },
  };
}
