/** Kubernetes in a process: admission, and the reconcilers of targets and manifests. */
import { textAt } from "../../../kernel/json-read.ts";
import type { OpenPart } from "../part.ts";
import { identityGuard } from "../../../acting/identity.ts";
import { manifestGuard } from "./manifest-guard.ts";
import { manifestSetsKind } from "./manifest-kinds.ts";
import { manifestReconciler } from "./manifest-reconciler.ts";
import { targetReconciler } from "./target-reconciler.ts";

export const openKubernetes: OpenPart = ({ openKube, store, live, authorizer }) => ({
  admission: [
    // A ManifestSet for another cluster uses the credentials of its KubernetesTarget.
    identityGuard("ManifestIdentity", authorizer, ({ target, object }) => {
      return target.served.id === manifestSetsKind && textAt(object, "spec", "target") === "";
    }),
    manifestGuard({ live, authorizer }),
  ],
  start: ({ engine, intents }, stops) => {
    stops.defer(engine.add(targetReconciler(openKube, store)));
    stops.defer(engine.add(manifestReconciler({ openKube, intents, authorizer })));
  },
});
