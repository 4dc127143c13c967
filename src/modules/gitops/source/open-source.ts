/** Git sources in a process: credentials, caches and polling. */
import { tmpdir } from "node:os";
import type { Git } from "../../../adapters/git/port.ts";
import type { GaugeSample } from "../../../contract/ports.ts";
import type { Intents } from "../../../intents/request.ts";
import { assert } from "../../../kernel/assert.ts";
import { gitopsLimits } from "../limits.ts";
import { cacheBytesMetric } from "../metrics.ts";
import { gitSystem } from "../names.ts";
import type { GitOpsPart, PartInput } from "../part.ts";
import type { PolicyReader } from "../policy/effective-policy.ts";
import { credentialReconciler } from "./credential-reconciler.ts";
import { gitPolicy } from "./git-calls.ts";
import { gitTrees } from "./git-trees.ts";
import { sourceReconciler } from "./source-reconciler.ts";
import { webhookRoute } from "./webhook-route.ts";
import type { SourceTrees } from "./source-trees.ts";

export interface SourceInput extends PartInput {
  readonly policies: PolicyReader;
}

export interface SourcePart extends GitOpsPart {
  readonly trees: SourceTrees;
}

export function openSource({ ports, policies, configuration }: SourceInput): SourcePart {
  let opened: Promise<Git> | undefined;
  let current: Git | undefined;
  const git = async (): Promise<Git> => {
    opened ??= openOnce();
    return await opened;
  };
  const openOnce = async (): Promise<Git> => {
    const { maxRepositoryBytes, maxCacheBytes, lsRemoteTimeoutMs, gitTimeoutMs } = gitopsLimits;
    current = await ports.openGit({
      program: configuration.git,
      folder: configuration.cacheFolder ?? tmpdir(),
      maxPrograms: configuration.maxGitPrograms,
      maxRepositoryBytes,
      maxCacheBytes,
      resolveTimeoutMs: lsRemoteTimeoutMs,
      fetchTimeoutMs: gitTimeoutMs,
      localRepositories: configuration.localRepositories,
    });
    return current;
  };
  let started: Intents | undefined;
  const intents = (): Intents => {
    assert(
      started !== undefined,
      "sources are read by runs, which begin when the process has started",
    );
    return started;
  };
  const access = { ports, policies };
  return {
    trees: gitTrees({ ...access, git, intents }),
    routes: (more) => [webhookRoute({ ports: more, clock: ports.clock, meter: ports.meter })],
    policyOf: (system) => (system.startsWith(gitSystem("")) ? gitPolicy : undefined),
    start: ({ engine, ownIntents }, stops) => {
      started = ownIntents;
      const { pollSeconds } = configuration;
      stops.defer(ports.meter.collect(cacheBytesMetric, () => cacheSamples(current)));
      const shared = { ...access, git, intents: ownIntents };
      stops.defer(engine.add(sourceReconciler({ ...shared, pollSeconds })));
      stops.defer(engine.add(credentialReconciler(shared)));
    },
    close: async () => {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}

function cacheSamples(git: Git | undefined): readonly GaugeSample[] {
  return [{ labels: {}, value: git?.cacheBytes() ?? 0 }];
}
