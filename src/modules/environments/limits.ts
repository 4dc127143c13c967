// Every bound of the module. docs/reference/environments.md explains those that users notice.

export const environmentLimits = {
  /** Entries in `spec.resources` of a Template. */
  maxTemplateResources: 10_000,
  /** EnvironmentResources of one Environment, with all counts. */
  maxEnvironmentResources: 20_000,
  /** `count` of one entry. */
  maxCount: 1_000,
  /** Dependencies of one entry; the engine follows at most 1,000 references of a resource. */
  maxDependencies: 500,
  /** EnvironmentResources that one depends on, with all counts, and whose outputs it reads. */
  maxInstanceDependencies: 2_000,
  maxReadInstances: 900,
  /** Dependencies of all EnvironmentResources of one Environment: their names are stored. */
  maxEnvironmentDependencies: 2_000_000,
  /** Dependencies of all entries of one Template. */
  maxTemplateDependencies: 100_000,
  /** Bytes of the values that the EnvironmentResources of one Environment store. */
  maxInputBytes: 134_217_728,
  /** Units of work for the counts of one Environment. */
  maxCountUnits: 5_000_000,
  /** Characters of the documents of compiled Templates that a process keeps. */
  maxCachedTemplateBytes: 33_554_432,
  maxTemplates: 20,
  maxParameters: 500,
  maxGroups: 200,
  /** ResourceGroups that come before one of a user. */
  maxFollowedGroups: 1_000,
  maxActions: 100,
  maxExternals: 200,
  maxEndpoints: 50,
  maxTags: 100,
  maxOutputs: 100,
  /** Bytes of all outputs of one EnvironmentResource. */
  maxOutputBytes: 131_072,
  /** Transitions that the status of an Environment keeps. */
  maxTransitions: 50,
  /** Resources that a status, a plan or a message names. */
  maxNamed: 20,
  /** Changes that one Plan lists, and fields of one change. */
  maxPlanChanges: 2_000,
  maxPlanFields: 100,
  /** Finished Operations that are kept for each Environment. */
  maxOperations: 100,
  /** EnvironmentResources that are written at the same time. */
  writesAtOnce: 64,
  /** Dependants that a removal waits for at the same time; the engine follows 100 blockers. */
  maxAwaited: 50,
  /** How often status endpoints are called while an Environment is validated, and afterwards. */
  validationIntervalSeconds: 5,
  healthIntervalSeconds: 60,
  /** How long validation may take before the Environment is DeployedFail. */
  validationTimeoutSeconds: 600,
  endpointTimeoutMs: 10_000,
  maxEndpointBytes: 65_536,
  /** Status endpoints that one Environment calls at the same time. */
  endpointsAtOnce: 8,
  /** How long the record of a deleted Environment is kept. */
  retentionSeconds: 2_592_000,
  /** Between the announcement of an overdue destruction and its start. */
  overdueGraceSeconds: 600,
  /** Overdue destructions that start within one minute in all namespaces. */
  overduePerMinute: 10,
  /** Ten years. */
  maxLifetimeSeconds: 315_360_000,
  maxReminders: 10,
  /** Resources that are indexed together, and namespaces that one search can be limited to. */
  indexBatch: 500,
  maxSearchedNamespaces: 2_000,
  /** Edges that one answer of the graph shows. */
  maxGraphEdges: 50_000,
  /** Environments that one TemplateRollout moves, and its waves. */
  maxRolloutEnvironments: 500,
  maxWaves: 50,
  /** How often a TemplateRollout that moves Environments looks at them. */
  rolloutLookMs: 2_000,
  /** How long a drift check or a repair waits for the answers of the targets. */
  driftTimeoutSeconds: 7_200,
  /** How often an action that holds a destruction is tried again. */
  heldActionMs: 60_000,
  minDriftSeconds: 60,
} as const;
