// The module in a process. Each folder is a part; what a part needs of another is its argument.

import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts } from "../../contract/ports.ts";
import { openApi } from "./api/open-api.ts";
import { gitopsConfiguration } from "./configuration.ts";
import type { GitOpsPart, PartInput } from "./part.ts";
import { openPolicy } from "./policy/open-policy.ts";
import { openPromotion } from "./promotion/open-promotion.ts";
import { openRender } from "./render/open-render.ts";
import { openSets } from "./sets/open-sets.ts";
import { openSource } from "./source/open-source.ts";
import { startParts } from "./start.ts";
import { openStatus } from "./status/open-status.ts";
import { openSync } from "./sync/open-sync.ts";
import { openTargets } from "./targets/open-targets.ts";

export function openGitOps(ports: OpenPorts): OpenModule {
  const parts = openParts({ ports, configuration: gitopsConfiguration(ports.configuration) });
  return {
    admission: parts.flatMap((part) => part.admission ?? []),
    subresources: parts.flatMap((part) => part.subresources ?? []),
    routes: (more) => parts.flatMap((part) => part.routes?.(more) ?? []),
    explainers: parts.flatMap((part) => part.explainers ?? []),
    healthChecks: parts.flatMap((part) => part.healthChecks ?? []),
    policyOf: (system) => firstPolicy(parts, system),
    start: async (more) => await startParts(parts, more),
    close: async () => {
      for (const part of parts.toReversed()) await part.close?.();
    },
  };
}

/** In the order in which their admission runs. */
function openParts(input: PartInput): readonly GitOpsPart[] {
  const policy = openPolicy(input);
  const { policies } = policy;
  const source = openSource({ ...input, policies });
  const render = openRender(input);
  const targets = openTargets({ ...input, policies });
  const status = openStatus(input);
  const shared = {
    ...input,
    policies,
    trees: source.trees,
    renderer: render.renderer,
    targets: targets.targets,
    health: status.health,
    report: status.report,
  };
  return [
    policy,
    source,
    render,
    targets,
    status,
    openSync(shared),
    openSets(shared),
    openPromotion(),
    openApi(shared),
  ];
}

function firstPolicy(
  parts: readonly GitOpsPart[],
  system: string,
): ReturnType<NonNullable<OpenModule["policyOf"]>> {
  for (const part of parts) {
    const policy = part.policyOf?.(system);
    if (policy !== undefined) return policy;
  }
  return undefined;
}
