// What a request to a route costs, for its admission.

import type { Route } from "../../contract/route.ts";
import { listCost, longCost, readCost, writeCost } from "../http/admit.ts";
import type { RequestCost } from "../http/admit.ts";

export function costOfRoute({ method, stream, isList }: CostFacts): RequestCost {
  if (stream === true) return longCost;
  if (isList === true) return listCost;
  return method === "GET" ? readCost : writeCost;
}

type CostFacts = Pick<Route, "method" | "stream" | "isList">;
