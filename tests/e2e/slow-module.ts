// A module whose runs take longer than anybody waits, and say when they begin.
import { setTimeout as delay } from "node:timers/promises";
import { defineModule, describeKind, done } from "setpoint";

const kind = describeKind({
  apiVersion: "slow.example/v1",
  kind: "Slow",
  plural: "slows",
  spec: { type: "object" },
});

export default defineModule({
  name: "slow",
  kinds: [
    {
      kind,
      reconciler: {
        reconcile: async (_, { signal }) => {
          process.stdout.write("a run has begun\n");
          await delay(120_000, undefined, { signal });
          return done();
        },
      },
    },
  ],
});
