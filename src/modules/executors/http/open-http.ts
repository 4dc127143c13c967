/** HttpCalls in a process: admission and the reconciler. */
import type { OpenPart } from "../part.ts";
import { httpGuard } from "./http-guard.ts";
import { httpReconciler } from "./http-reconciler.ts";

export const openHttpCalls: OpenPart = ({ openHttp, live }) => ({
  admission: [httpGuard],
  start: ({ engine }, stops) => {
    stops.defer(engine.add(httpReconciler({ openHttp, live })));
  },
});
