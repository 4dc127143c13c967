// The file that each thread of the pool for heavy work runs. It loads its code with the priority of
// the thread.

import { yieldProcessor } from "../adapters/threads/yield-processor.ts";

yieldProcessor();
const [{ serveJobs }, { heavyFunctions }] = await Promise.all([
  import("../adapters/threads/serve-jobs.ts"),
  import("./heavy-functions.ts"),
]);
serveJobs(heavyFunctions);
