// Every bound that the module keeps. Each folder has its own group of entries.

export const gitopsLimits = {
  // source
  /** Programs of git that run at a time in one process; further ones wait, tenants in turn. */
  maxGitPrograms: 8,
  gitTimeoutMs: 120_000,
  lsRemoteTimeoutMs: 15_000,
  /** Bytes of one bare cache, and of all caches of a process. The oldest unused one is removed. */
  maxRepositoryBytes: 1_073_741_824,
  maxCacheBytes: 10_737_418_240,
  /** Branches and tags of a repository that are read. */
  maxRefs: 50_000,
  /** How often a source is compared with its repository, unless the deployment states it. */
  pollSeconds: 180,
  /** The same for a local repository. */
  localPollSeconds: 10,
  minPollSeconds: 10,
  maxPollSeconds: 86_400,
  /** A poll is up to this share later. */
  pollJitter: 0.2,
  /** How often a credential is checked with its repository. */
  credentialCheckSeconds: 600,
  /** Eight times as much memory is taken, which the share of callers without credentials has. */
  maxWebhookBytes: 3_145_728,
  /** A longer one is not parsed, which would block other requests. */
  maxParsedWebhookChars: 262_144,
  /** Webhooks of one namespace that are accepted within one minute. */
  webhooksPerMinute: 120,
  maxUrlChars: 2_048,
  maxRefChars: 1_024,
  maxPathChars: 4_096,

  // render
  /** Of the path that is rendered, or of the repository where kustomize needs all of it. */
  maxTreeFiles: 20_000,
  maxTreeBytes: 268_435_456,
  maxFileBytes: 10_485_760,
  maxRenderedBytes: 67_108_864,
  maxDocuments: 20_000,
  /** One job for a thread reads files up to so many bytes, or one larger file. */
  renderPartBytes: 524_288,
  renderPartFiles: 500,
  renderTimeoutMs: 90_000,
  maxRenderPrograms: 4,
  /** Paths of one namespace that wait for their tool. */
  maxWaitingRenders: 200,
  maxRenderMemoryBytes: 1_073_741_824,
  /** Results that a process keeps in memory, and their bytes. */
  maxRenderResults: 1_000,
  maxRenderResultBytes: 268_435_456,
  maxManifestErrors: 20,

  // targets
  targetTimeoutMs: 30_000,
  /** Calls to one target at a time. */
  targetCallsAtOnce: 16,
  /** Further calls to one target that wait. */
  maxTargetQueue: 512,
  /** Clients of managed environments that a process keeps. The oldest unused one is closed. */
  maxTargetClients: 256,
  /** How often a managed environment is checked, and how long a new token may take. */
  environmentCheckSeconds: 600,
  serviceAccountTimeoutMs: 120_000,
  maxEnvironmentNamespaces: 1_000,
  /** Encoded characters of one SyncBundle, and SyncBundles of one sync. */
  maxBundleChars: 700_000,
  maxBundleParts: 100,
  /** Bytes of one part, which a Secret has. */
  bundlePartBytes: 500_000,
  /** Signs of life of an agent, and the silence after which it does not count as connected. */
  agentBeatMs: 30_000,
  agentSilentMs: 120_000,
  agentRetryMostMs: 60_000,

  // sync
  maxObjects: 10_000,
  /** Entries of one Inventory. */
  inventoryShard: 500,
  /** Pruning all objects, or more than this share and number of them, waits for a confirmation. */
  massPruneShare: 0.5,
  massPruneObjects: 10,
  maxWaves: 100,
  maxHooks: 200,
  maxDependencies: 50,
  maxIgnoreRules: 100,
  maxWindows: 50,
  /** How often objects are read until they are healthy or deleted. */
  healthPollMs: 1_000,
  /** How often live objects are compared with git when nothing changes. */
  driftSeconds: 40,
  /** How long one sync may take, unless the deployment states it. */
  syncTimeoutSeconds: 1_800,
  /** Retries of a failed sync of one commit, unless the deployment states them; -1: no bound. */
  retryLimit: -1,
  retryFirstSeconds: 5,
  retryFactor: 2,
  retryMostSeconds: 180,
  selfHealFirstSeconds: 2,
  selfHealMostSeconds: 300,
  keptSyncRuns: 50,
  operationRetentionSeconds: 86_400,

  // sets
  /** Deployments of one GitOpsDeploymentSet, and how many a run applies or removes. */
  maxSetDeployments: 500,
  setWritesPerRun: 50,
  maxSetItems: 500,
  /** Sets whose branches and files a process remembers. */
  maxRememberedSets: 500,
  maxSetPatterns: 100,
  /** Units of work (kernel/inline-time.ts) for the expressions of one set in one run. */
  maxSetUnits: 5_000_000,
  /** How often a set is tried again while a repository cannot be read. */
  setRetryMs: 30_000,

  // promotion
  /** A target whose provisioner has not removed it for so long is Failed. */
  targetRemovalMs: 120_000,
  verificationTimeoutSeconds: 300,
  promotionTimeoutSeconds: 600,
  /** How often a promotion looks again, besides being woken. */
  promotionPollMs: 15_000,
  keptVerified: 50,
  maxPromotionSteps: 50,

  // resource tree
  /** Objects below the managed ones, and how far below. */
  maxTreeObjects: 2_000,
  /** Objects of this server whose rights are checked for one tree. */
  maxTreeKeys: 10_000,
  maxTreeDepth: 10,
  /** Objects of one kind in one namespace of another server that are read, and its namespaces. */
  maxTreeList: 1_000,
  maxTreeNamespaces: 20,
  /** Lists of one tree that run at a time. */
  treeCallsAtOnce: 4,
  treeReadAtOnce: 20,

  // status
  /** Objects that the status of a deployment lists; the Inventory has all. */
  maxStatusResources: 200,
  maxStatusResults: 100,
  maxStatusBytes: 98_304,
  /** Of it, for the objects and for the results of a sync. */
  maxResourcesBytes: 32_768,
  maxResultsBytes: 16_384,
  maxHistory: 10,
  maxMessageChars: 2_048,
  maxNamed: 20,
  maxHealthRules: 50,
  /** Compiled rules that a process keeps. */
  maxCompiledHealthRules: 1_000,
  /** Units of work (kernel/inline-time.ts) for the rules of one object, and of one run. */
  maxHealthUnitsOfObject: 500_000,
  maxHealthUnits: 5_000_000,
  maxHealthMessageChars: 500,
  /** A change of the health of one object is stored at most so often, unless it ends a sync. */
  healthWriteMs: 1_000,
} as const;
