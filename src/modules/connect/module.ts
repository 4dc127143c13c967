/** Connect manages the objects of any REST service from its OpenAPI document: decision 8. */
import type { BuiltInModule } from "../../contract/module.ts";
import type { PolicyRule } from "../../intents/auth/policy.ts";
import { connectCommands } from "./cli/commands.ts";
import { hooksExtension } from "./hooks-extension.ts";
import type { FollowStream } from "./http/event-stream.ts";
import type { OpenWire } from "./http/exchange.ts";
import { connectionDefinition, connectionsKind } from "./kinds/connection-kind.ts";
import { keptTerms } from "./kinds/kept-terms.ts";
import { restKindDefinition, restKindsKind } from "./kinds/rest-kind-kind.ts";
import { connectLimits } from "./limits.ts";
import { connectMetrics } from "./metrics.ts";

/** How services are reached; a test gives its own. */
export interface ConnectOptions {
  readonly openWire?: OpenWire;
  readonly followStream?: FollowStream;
}

export const connect: BuiltInModule = connectModule();

export function connectModule(options: ConnectOptions = {}): BuiltInModule {
  return {
    name: "connect",
    version: 2,
    // People read their status; a change of it alone wakes no resource that refers to them.
    kinds: [connectionDefinition, restKindDefinition].map((kind) => {
      return { kind, isReconciled: false, isQuiet: true };
    }),
    cachedKinds: [connectionsKind, restKindsKind],
    indexTerms: keptTerms,
    metrics: connectMetrics,
    limits: connectLimits,
    roles: [
      { role: "view", rules: [planRule("get")] },
      // The handler also asks for the right to write the resource.
      { role: "edit", rules: [planRule("create")] },
    ],
    extensionPoints: [hooksExtension],
    commands: connectCommands,
    open: async (ports) => {
      const { openConnect } = await import("./open.ts");
      return openConnect(ports, options);
    },
  };
}

function planRule(verb: string): PolicyRule {
  return { apiGroups: ["*"], resources: ["*/plan"], verbs: [verb] };
}
