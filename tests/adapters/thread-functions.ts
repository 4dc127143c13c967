// The file that the threads of the pool run in tests.
import { threadId } from "node:worker_threads";
import { serveJobs } from "../../src/adapters/threads/serve-jobs.ts";
import { SetpointError } from "../../src/kernel/errors.ts";

serveJobs({
  echo: (bytes) => ({ bytes, facts: { threadId } }),
  refuse: () => {
    throw new SetpointError("request.invalid", "refused by the thread", { details: { a: 1 } });
  },
  crash: () => process.exit(3),
  endless: () => {
    for (;;);
  },
  hoard: () => {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index));
  },
});
