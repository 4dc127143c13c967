/** The module of the idle server: a kind whose reconciler finds everything as it should be. */
import { defineModule, describeKind, done } from "../src/authoring/setpoint.ts";

export default defineModule({
  name: "idle",
  kinds: [
    {
      kind: describeKind({
        apiVersion: "bench.setpoint.dev/v1",
        kind: "Stone",
        plural: "stones",
        spec: { type: "object", properties: { size: { type: "integer" } } },
      }),
      reconciler: { reconcile: async () => done() },
    },
  ],
});
