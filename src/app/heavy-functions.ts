// All functions that the threads for heavy work can run, by name.

import type { HeavyFunctions } from "../kernel/heavy-work.ts";
import { checkFunctions } from "../intents/write/check-job.ts";
import { manifestFunctions } from "../kernel/manifests/read-manifests.ts";
import { bodyFunctions } from "../surfaces/kube/body.ts";
import { frameFunctions } from "../surfaces/kube/frame-shapes.ts";
import { openApiFunctions } from "../surfaces/kube/openapi/built-document.ts";
import { shapeFunctions } from "../surfaces/kube/shaped-items.ts";

export const heavyFunctions: HeavyFunctions = {
  ...bodyFunctions,
  ...shapeFunctions,
  ...frameFunctions,
  ...checkFunctions,
  ...openApiFunctions,
  ...manifestFunctions,
};
