/** The resource provider of a process: the state that requests share, and its admission. */
import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts } from "../../contract/ports.ts";
import { armConfiguration } from "./configuration.ts";
import { envelopeGuard } from "./envelope-guard.ts";
import { subscriptionKind } from "./face.ts";
import { armFaces } from "./faces/faces.ts";
import { providerLimits } from "./limits.ts";
import { AwaitedChanges } from "./operations/awaited-changes.ts";
import { FollowedOperations } from "./operations/followed.ts";
import { OpenOperations } from "./operations/open-operations.ts";
import type { OfferedState } from "./provider-state.ts";
import { recordGuard } from "./record-guard.ts";
import { startProvider } from "./start.ts";
import { subscriptionGuard } from "./subscriptions/guard.ts";

export function openProvider(ports: OpenPorts): OpenModule {
  const { kinds, store, authorizer, timers } = ports;
  const faces = armFaces(kinds);
  const offered: OfferedState = {
    faces,
    followed: new FollowedOperations(providerLimits.followedOperations),
    open: new OpenOperations(),
    awaited: new AwaitedChanges(timers),
    configuration: armConfiguration(ports.configuration),
  };
  return {
    admission: [
      envelopeGuard,
      recordGuard,
      subscriptionGuard({
        store,
        authorizer,
        hasFace: (kind) => faces.byKind(kind) !== undefined,
      }),
    ],
    reconciles: (kind) => kind === subscriptionKind,
    offered,
    start: (more) => startProvider({ ports, more, offered }),
  };
}
