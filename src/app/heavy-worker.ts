// The file that each thread of the pool for heavy work runs.

import { serveJobs } from "../adapters/threads/serve-jobs.ts";
import { heavyFunctions } from "./heavy-functions.ts";

serveJobs(heavyFunctions);
