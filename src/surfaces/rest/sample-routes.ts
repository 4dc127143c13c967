// Routes for the tests of the surface.

import type { Route } from "../../contract/route.ts";

export function sampleRoute(route: Partial<Route> & Pick<Route, "path">): Route {
  return {
    method: "GET",
    summary: "Read a sample.",
    tag: "Samples",
    access: { kind: "authenticated" },
    answers: { 200: { description: "The sample.", schema: { type: "object" } } },
    handle: () => Promise.resolve({ kind: "document", status: 200, document: {} }),
    ...route,
  };
}
