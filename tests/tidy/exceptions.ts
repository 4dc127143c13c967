// What is let off a rule, and why. An exception that no longer excuses anything fails, too.
export interface Exception {
  /** The name of the rule, as the test prints it. */
  readonly rule: string;
  readonly path: string;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [
  {
    rule: "a file has at most 500 lines, a test 800",
    path: "src/client/rest-api.ts",
    reason: "written by `npm run docs`, and read by name",
  },
  {
    rule: "a line has at most 100 columns",
    path: "src/cli/bin.ts",
    reason: "the flags of Node.js are in the first line, which has no continuation",
  },
  {
    rule: "documents are parsed by parseExact, which keeps every int64",
    path: "src/modules/connect/document/parse-text.ts",
    reason: "descriptions of services: a bound such as 2^63 - 1 may be rounded",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/intents/write/commit.ts",
    reason: "this is the way",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/intents/write/place.ts",
    reason: "takes back a creation in a namespace that went meanwhile",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/intents/auth/shared-signing-key.ts",
    reason: "the server's own key, which is no kind",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/housekeeping/event-expiry.ts",
    reason: "forgets events whose time is over",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/intents/idempotency/outcome-records.ts",
    reason: "the outcomes of idempotent requests: the server's own records",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/intents/audit/erasures.ts",
    reason: "who erased what: the server's own records",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/intents/idempotency/command-records.ts",
    reason: "the outcomes of commands of the message bus: the server's own records",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/intents/idempotency/record-expiry.ts",
    reason: "removes records of the server itself after their time",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/intents/sessions/own-record.ts",
    reason: "sessions of browsers: the server's own records",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/modules/resource-provider/operations/operation-recorder.ts",
    reason: "how operations ended: the server's own records, many at a time",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/modules/resource-provider/operations/operation-expiry.ts",
    reason: "forgets operations whose time is over",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/modules/bus/outbox/cursor.ts",
    reason: "the place of the outbox in the log: the server's own record",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/surfaces/arm/action/actions.ts",
    reason: "the record of an action that changes nothing else",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/modules/resource-provider/operations/operations.ts",
    reason: "how an operation ended, before that is first told",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/modules/resource-provider/operations/failure-inside.ts",
    reason: "annotations of the server about a deletion that a client has asked for",
  },
  {
    rule: "what clients write goes through intents/write/commit.ts",
    path: "src/surfaces/arm/subscription/move.ts",
    reason: "changes paths only, of many resources at once, after move-check.ts",
  },
  {
    rule: "waiting goes through the timers",
    path: "src/surfaces/http/turn.ts",
    reason: "not a wait: the end of this turn of the event loop, in the hot path of each request",
  },
  {
    rule: "the time comes from the clock",
    path: "src/surfaces/http/turn.ts",
    reason: "bounds how long one turn handles requests; no result depends on it",
  },
  {
    rule: "a library is imported in its one folder",
    path: "src/kernel/arbitraries.ts",
    reason: "the generators that the property tests of several files share",
  },
  {
    rule: "chance in a test comes from the seed",
    path: "tests/chaos/crash.ts",
    reason: "a program that is run for other crashes each time; it prints its seed",
  },
  {
    rule: "chance in a test comes from the seed",
    path: "tests/chaos/soak.ts",
    reason: "a program that is run for other troubles each time; it prints its seed",
  },
  {
    rule: "waiting goes through the timers",
    path: "src/store/sqlite/awake.ts",
    reason: "not a wait: a turn of the event loop that does not fall asleep",
  },
  {
    rule: "the time comes from the clock",
    path: "src/store/sqlite/awake.ts",
    reason: "measures which way of waiting is quicker; no result depends on it",
  },
  {
    rule: "the time comes from the clock",
    path: "src/store/sqlite/compaction.ts",
    reason: "bounds how long one slice holds the database thread; no result depends on it",
  },
  {
    rule: "the time comes from the clock",
    path: "src/store/sqlite/core.ts",
    reason: "times a flush to decide whether batches overlap; no result depends on it",
  },
  {
    rule: "no default export",
    path: "tools/slow-files.ts",
    reason: "a reporter for --test-reporter, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tools/failed-files.ts",
    reason: "a reporter for --test-reporter, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "bench/arm-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "bench/crafted/face-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "bench/idle-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "console/vite.config.ts",
    reason: "the configuration of Vite, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tools/site/.vitepress/config.ts",
    reason: "the configuration of VitePress, which is known by its default export",
  },
  {
    rule: "dependencies are exact, and no package runs a script when it is installed",
    path: "tools/site/package-lock.json",
    reason: "esbuild only replaces its own launcher; the .npmrc of the folder forbids scripts",
  },
  {
    rule: "no default export",
    path: "tests/console/shop-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/chaos/effects-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/arm/attic-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/arm/bakery-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/connect/zone-hooks-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/arm/pantry-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/arm/clay-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/arm/kiln-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/arm/moment-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/tracing/caller-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/arm/vault-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/arm/stove-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/e2e/careless-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/e2e/blocking-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/e2e/context-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/e2e/hostile-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/e2e/slow-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
  {
    rule: "no default export",
    path: "tests/fleet/odd-module.ts",
    reason: "a module for --module, which is known by its default export",
  },
];
