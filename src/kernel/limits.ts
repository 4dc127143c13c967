// Every limit of Setpoint, with its unit in its name. A control plane without limits is one
// hostile or careless client away from being down, so nothing is unbounded: what has no entry
// here has no right to grow. Values that operators may tune are defaults; the others are fixed.

const kib = 1024;
const mib = 1024 * kib;

export const limits = Object.freeze({
  // Documents
  /** Largest stored document. kube accepts 3 MiB bodies; imported documents may be larger. */
  maxDocumentBytes: 8 * mib,
  /** Largest body of the Kubernetes surface; the same as kube-apiserver. */
  maxKubeBodyBytes: 3 * mib,
  /** Largest body of a review of access or identity, which users without any role may send. */
  maxReviewBytes: 256 * kib,
  /** Answers from this size on are compressed for those who take it; as kube-apiserver. */
  minGzipBytes: 128 * kib,
  /** Deepest nesting of objects and lists; keeps every recursive walk far from the stack's end. */
  maxJsonDepth: 128,
  /** Objects, and lists, of one JSON body; parsing more takes longer than their bytes suggest. */
  maxJsonContainers: 300_000,
  /** Largest number of operations in one JSON Patch; the same as kube-apiserver. */
  maxPatchOperations: 10_000,
  /**
   * Characters that the copy operations of one JSON Patch may add: copies can double a document.
   */
  maxPatchCopyChars: 8 * mib,
  /** Content of one ConfigMap or Secret; the same as kube-apiserver. */
  maxConfigBytes: mib,
  /** Values in one protobuf body, where an empty one takes two bytes. */
  maxProtobufValues: 1_000_000,

  // Schemas and paths
  /** Characters of one regular expression of a user. */
  maxRegexChars: 16 * kib,
  /** Instructions of one regular expression: `x{1000}` is a thousand of them. */
  maxRegexSize: 20_000,
  /** Compiled regular expressions kept, and their instructions. */
  maxCachedRegexes: 2_048,
  maxCachedRegexSize: 400_000,
  /** Versions of one definition. */
  maxDefinitionVersions: 64,
  /** In all schemas of one definition: objects, characters of rules, instructions of patterns. */
  maxDefinitionObjects: 40_000,
  maxRuleChars: 128 * kib,
  maxDefinitionRegexSize: 100_000,
  /** Nesting of a schema; deeper ones would describe documents beyond maxJsonDepth. */
  maxSchemaDepth: 128,
  /** Errors after which a document is not compared with its schema any further. */
  maxSchemaErrors: 1_000,
  /** Characters of a quantity; reading endless digits takes longer than their number. */
  maxQuantityChars: 1_024,
  /** Decimal exponent of a quantity; larger ones would be numbers of endless digits. */
  maxQuantityExponent: 1_000,
  /** Characters of a JSONPath, and its filters within filters. */
  maxJsonPathChars: 4_096,
  maxJsonPathNesting: 8,
  /** Values that one JSONPath may touch; a path of many `..` could multiply without end. */
  maxJsonPathValues: 100_000,
  /** Aliases in one YAML document; they can multiply what they name. */
  maxYamlAliases: 100,
  /** Characters that the aliases of one manifest may repeat. */
  maxAliasChars: mib,
  /** Characters of a YAML text that is not JSON: reading one takes some microseconds for each. */
  maxYamlChars: 512 * kib,

  // Quotas and roles
  /** Resources that one ResourceQuota limits; each is a counter, and is counted for its status. */
  maxQuotaResources: 128,
  /** Steps of comparing the rules that a user grants with those that the user holds. */
  maxRuleSteps: 1_000_000,
  /** Those of them after which other requests run. */
  ruleSliceSteps: 50_000,
  /** Characters of the rules in the answer to a SelfSubjectRulesReview. */
  maxReviewedRuleChars: 2 * mib,
  /** Missing rights that a refusal names, and characters of them that are collected. */
  maxMissingRights: 100,
  maxMissingChars: 64 * kib,

  // Heavy work (src/adapters/threads)
  /** Smaller inputs are processed on the event loop: a thread would only add its own delay. */
  minHeavyBytes: 256 * kib,
  /** YAML takes microseconds for each character, so a thread pays off earlier. */
  minHeavyYamlBytes: 8 * kib,
  /** The steps of work on a document of this size are separated by turns of the event loop. */
  minSlicedBytes: 128 * kib,
  /** After a step, other requests run for as long as it took, and at most for this time. */
  maxStepRestMs: 200,
  /** The time that a tenant has used for steps counts half after this time. */
  stepShareHalfLifeMs: 2_000,
  /** Values that a JSON Patch may move or copy before other requests run. */
  patchSliceValues: 500_000,
  /**
   * How long a document is checked on the event loop before a thread does it instead, and how long
   * policies are evaluated before other requests run.
   */
  inlineCheckMs: 20,
  /** Work for one of many resources that takes so long lets other requests run before the next. */
  heavyWorkMs: 4,
  /** Values, and characters of rules with instructions of patterns, of a heavy schema. */
  minHeavySchemaValues: 4_000,
  minHeavySchemaWeight: 8_000,
  /** Nodes of a schema that are compiled before other requests run. */
  schemaSliceNodes: 4_000,
  /** Versions of kinds whose compiled form one thread keeps. */
  maxThreadTypes: 4,
  /** A document of this size is sent from the memory that it was read into; smaller are copied. */
  minSharedBytes: 64 * kib,
  /** Bytes of one job that is part of a longer answer, such as some items of a list. */
  heavyPartBytes: mib,
  /** Threads; one tenant uses all but one of them. */
  heavyThreads: 2,
  /** Jobs that wait for a thread, in total and of one tenant, and their bytes. */
  maxHeavyJobs: 128,
  maxTenantHeavyJobs: 32,
  maxHeavyBytes: 128 * mib,
  /** How long one job may run before its thread is terminated. */
  heavyJobMs: 20_000,
  /** A thread without a job ends after this time. */
  heavyThreadIdleMs: 60_000,
  /** Memory of one thread, in MiB: a small text can describe a large document. */
  maxHeavyThreadMib: 384,

  // Calls to other servers (src/adapters/http)
  /** Connections to one origin, unless a client says otherwise. */
  maxHttpConnections: 64,
  /** Origins that one client keeps connections to; the one that was used longest ago is closed. */
  maxHttpOrigins: 256,
  /** Requests that wait for a connection to one origin. */
  maxHttpWaiting: 10_000,
  /** How long a connection without requests is kept, unless the server allows another time. */
  httpKeepAliveMs: 30_000,
  maxHttpKeepAliveMs: 300_000,
  /** How long opening a connection may take, whatever the request allows. */
  httpConnectTimeoutMs: 120_000,
  /** Bytes of an answer that have arrived and are not read; beyond it the server has to wait. */
  maxHttpUnreadBytes: 256 * kib,
  /** One event of a stream of server-sent events. */
  maxServerEventBytes: mib,
  /** Characters of an error of a service that a condition quotes. */
  maxServiceDetailChars: 300,
  /** Authorities for which the connections of JSON calls are kept. */
  maxJsonAuthorities: 64,
  /** The longest Retry-After of a server that is respected. */
  maxRetryAfterMs: 3_600_000,

  // Programs that are run (src/adapters/process)
  /** Programs that run at once, and runs that wait for their turn. */
  maxPrograms: 16,
  maxWaitingPrograms: 1_024,
  /** Between SIGTERM and SIGKILL, unless a run says otherwise. */
  programGraceMs: 5_000,
  /** How long output is still read after a program has ended. */
  programDrainMs: 2_000,
  /** A longer line of output is reported in pieces. */
  maxProgramLineBytes: 64 * kib,
  /** Between two checks of the memory that programs use. */
  programMemoryCheckMs: 250,

  // Programs below a supervisor (src/adapters/supervisor)
  /** Without a beat of the server for so long, a supervisor ends its program. */
  supervisorBeatMs: 10_000,
  /** Between two looks at the files of a supervisor. */
  supervisorPollMs: 50,
  /** Between two checks of the output, and of what is left of a process group. */
  programOutputCheckMs: 250,
  /** Between the second SIGINT and SIGKILL: Terraform takes 5 s to end after it. */
  programSecondGraceMs: 10_000,
  /** Between SIGINT and SIGKILL when the end is forced. */
  programForceMs: 2_000,

  // Names and metadata
  /** RFC 1123 subdomain: names of resources. */
  maxNameLength: 253,
  /** RFC 1123 label: namespaces, and names that become DNS labels. */
  maxDnsLabelLength: 63,
  /** The part of a label key after the slash. */
  maxLabelNameLength: 63,
  maxLabelValueLength: 63,
  /** All annotation keys and values of one resource together. */
  maxAnnotationsBytes: 256 * kib,
  maxFieldManagerLength: 128,
  /** Labels and owners of one resource; each is a term of the index. */
  maxLabels: 1_000,
  maxOwnerReferences: 1_000,
  maxFinalizers: 1_000,
  /** Terms under which one resource is found; room for its labels, owners and selectable fields. */
  maxTerms: 2_048,
  /** Fields of one document that field managers own; each is an entry of managedFields. */
  maxOwnedFields: 25_000,
  /** Updaters remembered in managedFields; older ones are folded into one entry. */
  maxUpdateManagers: 10,
  /** Selectable fields of one version of a kind; each is an index entry per write. */
  maxSelectableFields: 8,
  /** Requirements in one label selector. */
  maxSelectorRequirements: 256,
  /** Values in all requirements of one list together. */
  maxSelectorValues: 1_024,
  /** Values longer than this enter the index as a digest. */
  maxTermValueLength: 200,

  // Rules in CEL; the same as in kube-apiserver, as they decide which rules are accepted
  maxCelCodePoints: 100_000,
  /** Nesting of expressions; keeps every recursive walk far from the stack's end. */
  maxCelDepth: 250,
  /** Parts of an expression with its macros expanded; optMap() doubles what it is called on. */
  maxCelParts: 200_000,
  /** Cost of one evaluation of one rule. */
  maxCelCallCost: 1_000_000,
  /** Cost of all rules on one document. */
  maxCelDocumentCost: 10_000_000,
  /** Units for all match conditions of one webhook or policy; the same as kube-apiserver. */
  maxCelConditionsCost: 2_500_000,
  /** Estimated worst cost of one rule on one document. */
  maxCelRuleEstimate: 10_000_000,
  /** Estimated worst cost of all rules of one version of a kind. */
  maxCelSchemaEstimate: 100_000_000,
  /** Items of a list that an expression makes; adding lists costs little, so they could double. */
  maxCelListItems: 1_000_000,
  /** Comparisons inside of lists and maps in one evaluation; they are not in its cost. */
  maxCelComparisons: 10_000_000,
  /** Characters of a text that an expression makes. */
  maxCelTextChars: 16 * mib,
  /** The message that a messageExpression may give. */
  maxCelMessageBytes: 5_120,
  /** The largest request for which sizes are estimated. */
  maxCelRequestBytes: 3 * mib,

  // Documents with expressions (src/kernel/template)
  /** Characters of one expression, and of all expressions of a document, and their number. */
  maxTemplateExpressionChars: 16 * kib,
  maxTemplateChars: 128 * kib,
  maxTemplateExpressions: 4_096,
  /** Units of work (kernel/inline-time.ts) for all expressions of one document. */
  maxTemplateUnits: 500_000,

  // Reading
  /** Page of a list when the client names none. */
  defaultPageItems: 500,
  /** Largest page of a list. */
  maxPageItems: 10_000,
  /** How long a read waits for a revision that has not been reached. */
  futureRevisionWaitMs: 3_000,
  /** How far a slow watcher may fall behind before it is cut off and must resume. */
  maxWatchBacklogBytes: 8 * mib,
  /** Bytes of changes that wait to be delivered to watches; beyond it, late ones are ended. */
  maxWatchQueueBytes: 64 * mib,
  /** Time for the delivery to watches in one turn of the event loop. */
  watchTurnMs: 3,
  /** Frames of changes that are kept for other watches, with their changes. */
  maxKeptFrameBytes: 32 * mib,
  /** Memory for each byte of the URL of a watch, for its selector; shorter URLs do not count. */
  watchUrlFactor: 24,
  minCountedUrlBytes: kib,
  /** Documents of one list that has to be made whole before it is sent, such as a Table. */
  maxCollectedBytes: 64 * mib,
  /** Events read from the log at once. */
  eventPageItems: 1_000,
  /** Bytes of documents in one page of the log or of a list; reading one blocks other requests. */
  maxPageBytes: mib,
  /** Newest changes kept in memory for those who follow the log. */
  recentLogBytes: 32 * mib,

  // Writing
  /** Writes in one database commit. */
  maxCommitWrites: 256,
  /** Bytes of documents in one database commit. */
  maxCommitBytes: 4 * mib,
  /** Writes in one atomic group. */
  maxGroupWrites: 2_048,
  /** Bytes of one atomic group, which is one database commit however large it is. */
  maxGroupBytes: 32 * mib,
  /** Bytes of one call; it has to fit into the queue. */
  maxCallBytes: 64 * mib,
  /** Writes waiting for a commit before new ones are refused with store.overloaded. */
  maxQueuedWrites: 4_096,
  maxQueuedBytes: 64 * mib,
  /** Attempts of a patch without precondition that loses against other writers. */
  maxPatchAttempts: 128,
  /** Attempts of a create with generateName that meets an existing name. */
  maxGenerateNameAttempts: 8,

  // Webhooks
  /** How long a conversion webhook may take for one answer; the same as kube-apiserver. */
  conversionTimeoutMs: 30_000,
  /** Largest answer of a webhook that is read; it may hold a patch for a whole document. */
  maxWebhookAnswerBytes: 16 * mib,
  /** Connections kept open to one webhook. */
  maxWebhookSockets: 64,
  /** Certificate bundles for which connections are kept. */
  maxWebhookAgents: 256,

  // Traces
  /** Spans that wait for export; more are dropped and counted. */
  maxQueuedSpans: 8_192,
  /** Spans of one request to the collector. */
  maxSpanBatch: 512,
  /** How long a span waits for others, and the first pause before a batch is sent again. */
  spanExportDelayMs: 1_000,
  /** How long the collector may take to answer. */
  spanExportTimeoutMs: 10_000,
  /** How long the end of a server waits for the last batch. */
  spanExportStopMs: 2_000,

  // The audit log and the request log
  /** Lines that wait to be written; more are dropped. */
  maxLogBufferBytes: 32 * mib,
  /** Size at which a log is rotated. */
  maxLogFileBytes: 100 * mib,
  /** Older files of a log that are kept. */
  maxLogFiles: 10,

  // Claims and work
  maxLeaseTtlMs: 3_600_000,
  /** Resources claimed at once by one worker. */
  maxClaimItems: 1_000,
  /** Namespaces looked at by one claim when more is due than fits. */
  maxClaimNamespaces: 1_024,
  /** Who waits for work is told of what becomes due within this time; later work is looked for. */
  workHorizonMs: 600_000,
  /** Kinds that one claim may ask for. */
  maxClaimKinds: 1_024,
  /** Namespaces that one claim may leave out. */
  maxSkippedNamespaces: 4_096,
  /** Amount that one resource may hold against a counter; sums of many stay exact numbers. */
  maxCounterAmount: 2 ** 40,

  // Journals of the engine
  /** Result of one durable step, or one remembered value. */
  maxJournalValueBytes: 256 * kib,
  /** Everything that is kept for one resource; it is written whole for each step. */
  maxJournalBytes: 2 * mib,
  /** Resources that one resource may refer to. */
  maxReferences: 1_000,

  // Suggestions of the name that was probably meant
  /** Suggestions for one document, names that are compared for one, and their characters. */
  maxSuggestions: 10,
  maxSuggestedNames: 300,
  maxSuggestedChars: 64,

  // Requests
  /** Problems of one document that are named in an answer; of the others only their number. */
  maxShownErrors: 100,
  /** Characters of all problems named in one answer; one may quote a whole document. */
  maxShownErrorChars: 256 * kib,
  /** Characters of one of them, and of the message of a refusal; of longer ones the middle goes. */
  maxShownProblemChars: 8 * kib,
  maxShownMessageChars: 64 * kib,
  /** Characters of a text, and of the JSON of an object, in a line of the log. */
  maxLoggedTextChars: 2 * kib,
  /** Characters of the path of a request in a line of the log. */
  maxLoggedPathChars: 512,
  /** How long a client may take to send the headers of a request, and all of it. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  maxHeaderBytes: 64 * kib,
  /** Bodies that nobody reads are passed over up to this size; as in Go's server. */
  maxPassedBodyBytes: 256 * kib,
  /** For a larger one the connection ends, after this time or so many bytes more. */
  lingerMs: 3_000,
  maxLingerBytes: 4 * mib,
  /** Connections that the system keeps until they are accepted, where it allows so many. */
  listenBacklog: 4_096,
  /** How long a new connection may take to agree on its encryption. */
  handshakeTimeoutMs: 10_000,
  /** Time for the first part of handshakes in one turn of the event loop. */
  connectionTurnMs: 4,
  /** HTTP/2 connections without any request are closed after this time. */
  idleConnectionMs: 600_000,
  /** How long a client may take nothing of its answer before it is cut off. */
  writeStallMs: 30_000,
  /** How long a client may take for what is left of a watch that ends. */
  watchCloseMs: 2_000,
  /** Memory of all requests in progress: bodies, documents being read, responses not yet taken. */
  maxBytesInFlight: 512 * mib,
  /** Bytes that are handed to connections in one turn of the event loop; they are encrypted. */
  flowTurnBytes: 256 * kib,
  /** Bytes that all streams of an HTTP/2 connection hand to it before it has taken them. */
  maxHandedBytes: 128 * kib,
  /** When streams whose client takes nothing hold this much, the others hand small pieces. */
  maxBlockedStreamBytes: 256 * kib,
  /** While a connection takes nothing, one more of its streams is tried after this time. */
  blockedStreamMs: 100,
  /** What a list holds for a page: the documents, and the part of the response made from them. */
  pageMemoryBytes: 2 * mib,
  /** A watch that has less unread than this is not ended when its tenant holds too much. */
  minEndedBacklogBytes: 64 * kib,
  /** What a tenant may hold of it whenever it is free. */
  leastBytesInFlight: 4 * mib,
  /** Requests under way at once on one HTTP/2 connection. */
  maxConnectionStreams: 250,
  /** Characters of one warning once all of them together are too long; as kube-apiserver. */
  maxShortWarningChars: 256,
  /** Characters of all warnings of one answer before they are shortened; as kube-apiserver. */
  maxWarningChars: 4_096,
  /** Warnings of one answer: many clients take 100 headers at most and fail beyond. */
  maxWarnings: 64,
  /** Longest bearer token that is looked at. */
  maxTokenChars: 16 * kib,
  /** Clocks of issuers and servers differ: times of a token may be wrong by this much. */
  tokenLeewayMs: 60_000,
  /** Characters of a claim that an error quotes. */
  maxQuotedClaimChars: 120,
  /** Verified tokens that are remembered, so that a signature is not checked for each request. */
  maxVerifiedTokens: 4_096,
  verifiedTokenTtlMs: 300_000,
  /** How long an OpenID provider may take to name its keys. */
  openidTimeoutMs: 10_000,
  /** The least time between two reads of a provider's keys, whatever tokens name unknown keys. */
  openidRetryMs: 10_000,
  /** The age at which keys of a provider are read again in the background, */
  openidKeysRefreshMs: 300_000,
  /** and the age at which a request waits for them: a removed key is refused by then. */
  openidKeysMaxAgeMs: 600_000,
  /** How long the last keys are used while the provider cannot be reached. */
  openidKeysStaleMs: 3_600_000,
  maxOpenidKeys: 100,
  /** Requests in progress at once, of each surface; reads and writes as in kube-apiserver. */
  maxReadsInFlight: 400,
  maxListsInFlight: 100,
  maxWritesInFlight: 200,
  /** Requests whose body is arriving; they hold no place among the writes. */
  maxBodiesInTransit: 1_000,
  /** How long a client may take to send a body, and how fast it must send. */
  bodyTimeoutMs: 60_000,
  bodyPaceMs: 5_000,
  minBodyBytesPerPace: 5 * kib,
  /** Bytes of a body that a connection reads before the request asks for them. */
  maxBodyBytesAhead: 128 * kib,
  /** Memory for each byte of a body: the bytes, the decoded document and its copies. */
  bodyMemoryFactor: 8,
  /** Watches and other requests without an end. */
  maxLongRequests: 10_000,
  /** Requests of one tenant that wait for their turn. */
  maxQueuedRequestsPerTenant: 50,
  /** Requests of all tenants that wait for their turn. */
  maxQueuedRequests: 2_000,
  maxRequestWaitMs: 15_000,

  // REST
  /** Largest body of the REST surface. */
  maxRestBodyBytes: 256 * kib,
  /** Page of a REST list when the client names none, and the largest. */
  defaultRestPageItems: 100,
  maxRestPageItems: 1_000,
  /** Terms of one filter or sort order. */
  maxFilterTerms: 16,
  maxFilterChars: 2_048,
  /** Characters of an Idempotency-Key, and of a cursor. */
  maxIdempotencyKeyChars: 255,
  maxCursorChars: 4_096,
  /** How long the outcome of an Idempotency-Key is kept. */
  idempotencyTtlMs: 86_400_000,
  /** A request in progress for longer counts as lost with its process. */
  idempotencyLeaseMs: 120_000,
  /** How long the outcome of a command of the message bus is kept for repeated deliveries. */
  commandRecordTtlMs: 7 * 86_400_000,
  /** Largest answer that is stored under an Idempotency-Key. */
  maxIdempotentAnswerBytes: 64 * kib,
  /** A stream without changes sends a bookmark this often. */
  streamBookmarkMs: 15_000,
  /** Changes read at once for one stream. */
  streamPageItems: 500,

  // Read model
  /** Rows of one kind in memory. A larger kind is answered by a query of the store. */
  maxReadModelKindRows: 100_000,
  /** Rows of all kinds in memory. Beyond it the kind that was used least recently is dropped. */
  maxReadModelRows: 500_000,
  /** Columns of one kind, and characters of one value. */
  maxReadModelColumns: 16,
  maxReadModelTextChars: 256,
  /** Rows that one page of a store query looks at. */
  maxReadModelScanRows: 20_000,
  /** How long a kind that was too large is not loaded again. */
  readModelRetryMs: 600_000,
  /** A kind that no query has used for this long is dropped from memory. */
  readModelIdleMs: 1_800_000,
  /** Groups of one report, and resources named in each group. */
  maxReportGroups: 200,
  maxReportExamples: 10,

  // Modules of users
  /** How long the import of a module may take; the server then starts without it. */
  moduleImportMs: 30_000,
  /** Stored resources that are compared with a new schema before other work continues. */
  schemaCheckPageItems: 200,
  /** Resources that a refused schema names, and fields of each. */
  maxNamedMisfits: 10,
  maxNamedMisfitFields: 5,

  // History
  /** Fewer superseded changes than this are not worth a compaction. */
  minForgottenChanges: 1_000,
  /** How long an event is kept after it last happened; the same as kube-apiserver. */
  eventTtlMs: 3_600_000,
  /** Events removed by one step of compaction, so that writers wait for a short time only. */
  compactionBatchItems: 1_000,
});
