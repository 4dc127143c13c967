// Every bound of the fleet module. docs/reference/fleet.md explains those that users notice.

export const fleetLimits = {
  /** Characters of the name of an instance, as in the API of the seed. */
  maxInstanceNameChars: 32,
  /** Items of one page; a larger `size` counts as this. */
  maxPageSize: 65_500,
  defaultPageSize: 100,
  /** AND and OR in one `search`. */
  maxSearchJoins: 10,
  maxSearchChars: 4_096,
  /** Nested parentheses in one `search`. */
  maxSearchDepth: 20,
  /** Values of one IN. */
  maxSearchValues: 500,
  /** Documents of a list or a watch that are read at once. */
  listBatchItems: 64,
  /** A watch ends after this time, so that the token of the client is checked again. */
  maxWatchMs: 1_800_000,
  /** Of a query of metrics. */
  maxMetricMinutes: 4_320,
  maxMetricIntervalSeconds: 10_800,
  maxMetricPoints: 11_000,
  maxMetricBytes: 16 * 1_024 * 1_024,
  metricTimeoutMs: 10_000,
  maxMetricConnections: 8,
  /** Fields of one `orderBy`. */
  maxOrderFields: 10,
  maxOfferings: 100,
  /** Instances that the refused deletion of an Offering or Organisation counts. */
  maxCountedInstances: 1_000,
  /** Of one organisation in the public API, where the Offering names no other number. */
  requestsPerSecond: 50,
  /** Of the agent of one cluster. */
  agentRequestsPerSecond: 100,
  /** Organisations and clusters whose requests one server counts. */
  maxRateTenants: 20_000,
  maxPreparations: 20,
  maxRoutesPerInstance: 32,
  /** Entries of one batch of reports of an agent. */
  maxReportsPerBatch: 5_000,
  maxReportMessageChars: 1_024,
  maxReportConditions: 50,
  /** Components with a version in one report. */
  maxReportVersions: 10,
  maxVersionChars: 128,
  /** A ready cluster whose agent is silent for longer is not ready; see agentTimeoutSeconds. */
  agentSilenceMs: 300_000,
  /** An unchanged report about a cluster is stored again this often, as a sign of life. */
  agentHeartbeatMs: 60_000,
  /** Of the token that an executor installs. It is replaced before half of this time is over. */
  agentTokenSeconds: 30 * 86_400,
  /** Steps of a cluster in one run. */
  maxClusterSteps: 12,
  /** While a cluster is removed: between two looks at what is left. */
  clusterRemovalMs: 2_000,
  /** Status and capacity of a cluster are compared this often. */
  clusterResyncMs: 60_000,
  /** Reasons that `why` of a placement keeps. */
  maxPlacementReasons: 50,
  /** Clusters that are tried in one run before the next attempt is delayed. */
  maxPlacementAttempts: 20,
  /** Between two attempts to place an instance that no cluster accepts. */
  placementRetryMs: 60_000,
  /** After which a cluster is asked again that rejected an instance because it is full. */
  refusedRetryMs: 60_000,
  /** Counts in the status of Offerings and Organisations follow the instances this late. */
  countsDelayMs: 2_000,
  /** Between two looks at an Offering or Organisation whose deletion waits for instances. */
  emptyCheckMs: 5_000,
  /** Ready instances are compared with their external resources about this often. */
  driftCheckMs: 600_000,
  /** After the start of a leader: instances of denied owners are looked for again. */
  lateWakeMs: 30_000,
  /** Of the period of a usage report. */
  maxUsageMs: 366 * 86_400_000,
  maxUsageLines: 100_000,
  usagePageItems: 500,
  /** Spans of use before restores that an instance remembers. */
  maxEarlierUse: 100,
  /** Regions of one Probe, which are probed at the same time. */
  maxProbeRegions: 50,
  /** Steps in one region in one run of a Probe. */
  maxProbeSteps: 10,
  /** A Probe is compared with its instances at least this often. */
  probeResyncMs: 600_000,
  /** Of the answer to a request that verifies an instance. */
  maxProbeAnswerBytes: 1_048_576,
  /** Of the name of a ScalingRule, because names of clusters begin with it. */
  maxScalingRuleChars: 40,
  /** Steps of one run of a ScalingRule. */
  maxScalingSteps: 10,
  /** A ScalingRule is compared with its region at least this often. */
  scalingResyncMs: 600_000,
  /** A request waits at most this long for a quota service. */
  quotaAnswerMs: 2_000,
  maxQuotaAnswerBytes: 65_536,
  maxQuotaMessageChars: 300,
  maxSubscriptionChars: 256,
  maxRolloutWaves: 50,
  /** Regions times types that one Rollout may select. */
  maxRolloutScope: 1_000,
  maxRolloutHistory: 50,
  /** Failed instances, and reasons to wait, that the status of a Rollout lists. */
  maxRolloutFailures: 20,
  /** Instances that one step of a Rollout updates. */
  maxRolloutBatch: 50,
  /** Steps of one run of a Rollout. */
  maxRolloutSteps: 100,
  /** A Rollout in progress is compared with its instances at least this often. */
  rolloutResyncMs: 600_000,
  /** Instances whose change a policy refused are tried again after this long. */
  rolloutRetryMs: 60_000,
  /** Time limits of functions of user modules: before a write, to choose a cluster, in a step. */
  hookAdmitMs: 5_000,
  hookChooseMs: 10_000,
  hookStepMs: 120_000,
  /** The same of a route. */
  hookRouteMs: 30_000,
  /** A step is repeated after this long where its function names no time, and in these bounds. */
  hookRetryMs: 10_000,
  hookShortestMs: 100,
  hookLongestMs: 3_600_000,
  maxHookReasonChars: 500,
  /** Versions of a component that the metrics show by name; the rest are counted together. */
  maxMeasuredVersions: 50,
} as const;
