// Every bound that the module keeps. Each executor has its own group of entries.

export const executorLimits = {
  // Runs and their logs
  /** Bytes of one chunk of a log, of all chunks of a run, and of one line. */
  maxLogChunkBytes: 65_536,
  maxRunLogBytes: 4_194_304,
  maxLogLineBytes: 16_384,
  /** How long lines wait for more lines before they are stored. */
  logFlushMs: 1_000,
  /** Finished runs that are kept for each owner. Older ones are deleted with their logs. */
  keptRuns: 20,
  /** Records are deleted so long after the end of the run, also when its owner is deleted. */
  runRetentionMs: 2_592_000_000,
  runSweepMs: 3_600_000,
  /** Characters of the message of a run. */
  maxRunMessageChars: 2_048,

  // All targets
  /** Differences that a status shows. */
  maxDriftItems: 50,
  /** How often a settled target is compared with its system, unless it states it. */
  resyncSeconds: 600,
  /** The pause after a lost compare-and-set, before the system is read again. */
  conflictMs: 500,
  /** How long one request to Consul, Vault or a Kubernetes API may take. */
  callTimeoutMs: 30_000,
  /** Bytes of an answer of Consul or Vault. */
  maxAnswerBytes: 16_777_216,

  // Consul
  /** Operations of one transaction, which is also the most keys of a ConsulKeys. */
  maxConsulOperations: 128,
  /** Bytes of the values of a ConsulKeys. Consul limits the encoded transaction to 512 KiB. */
  maxConsulBytes: 262_144,
  /** How long a blocking query waits for a change. */
  consulWaitMs: 55_000,
  /** Pauses after failed blocking queries. */
  consulRetryFirstMs: 500,
  consulRetryMostMs: 30_000,
  /** After this time without a report, Consul shows this server as critical. */
  consulCheckSeconds: 30,
  /** How long a stop waits for the agent. */
  consulStopMs: 2_000,
  /** Instances that the status of a ConsulService shows. */
  maxConsulInstances: 100,

  // HTTP
  /** The largest answer that a call may allow. */
  maxHttpAnswerBytes: 8_388_608,
  /** How often status endpoints are polled after they were healthy, at most. */
  httpHealthMs: 30_000,

  // Kubernetes
  /** Objects of one ManifestSet. */
  maxManifests: 200,
  /** How often objects are read until they are healthy or deleted. */
  manifestPollMs: 1_000,
  /** How often objects are read after the time for their health is over. */
  manifestSlowMs: 15_000,
  /** How often settled objects of this server are compared. */
  manifestResyncSeconds: 60,

  // Vault
  /** How often the health of a server is checked. */
  vaultHealthSeconds: 60,
  /** Tokens that a process keeps in memory. */
  maxVaultSessions: 1_000,
  /** How long the token of a ServiceAccount for a login is valid. */
  vaultJwtSeconds: 600,
  /** Keys of one secret, and characters of a generated password. */
  maxVaultKeys: 100,
  maxPasswordChars: 256,

  // Programs below a supervisor: Terraform and Command
  /** Between two looks at the output of a program, and at what its owner says about cancelling. */
  outputPollMs: 100,
  cancelPollMs: 1_000,
  /** How long a program may still finish when the server stops, before it is handed over. */
  stopWaitMs: 500,
  /** Between the first and the second SIGINT, unless the resource states it. */
  graceSeconds: 60,
  /** Between two looks at a run of another machine. */
  takeOverPollMs: 2_000,
  /** Output of one program. */
  maxProgramOutputBytes: 268_435_456,

  // Terraform
  /** Bytes of one file of a configuration, and of all. */
  maxSourceFileBytes: 1_048_576,
  maxSourceBytes: 6_291_456,
  /** Bytes of a state file, and of the same compressed, in base64. */
  maxStateBytes: 67_108_864,
  maxStoredStateBytes: 6_291_456,
  /** Bytes of a state, and of a lock, that the http backend accepts. */
  maxSentStateBytes: 16_777_216,
  maxLockBytes: 16_384,
  /** Versions of a state that are kept. */
  keptStateVersions: 50,
  /** Between two uploads of the state while Terraform runs. */
  stateUploadMs: 500,
  /** Changes that the status of a TerraformPlan lists. */
  maxPlannedChanges: 500,
  /** Fields of one change. */
  maxPlannedFields: 100,
  /** Diagnostics in the message of a condition. */
  maxDiagnosticChars: 1_024,
  // Command
  /** Runs of programs at a time, in one process. */
  commandRuns: 16,
  /** Characters of one argument or environment variable. */
  maxCommandValueChars: 65_536,

  /** Runs of Terraform at a time, in one process. */
  terraformRuns: 4,
  /** Of the engine: a run has its own time limits for each program. */
  longestRunMs: 604_800_000,
} as const;
