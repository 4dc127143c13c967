/** All crafted requests. */
import { connectRequests } from "./connect.ts";
import { definitionRequests } from "./definitions.ts";
import { documentRequests } from "./documents.ts";
import { environmentRequests } from "./environments.ts";
import { faceRequests } from "./faces.ts";
import { patchRequests } from "./patches.ts";
import { policyRequests } from "./policies.ts";
import { readRequests } from "./reads.ts";
import type { Crafted } from "./request.ts";

export const craftedRequests: readonly Crafted[] = [
  ...documentRequests,
  ...patchRequests,
  ...policyRequests,
  ...readRequests,
  ...faceRequests,
  ...connectRequests,
  ...environmentRequests,
  ...definitionRequests,
];
